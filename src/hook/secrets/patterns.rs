//! The table of everything that starts a closer look, and the matcher of tokens
//! with a fixed start.
//!
//! A pattern is literal text with parts in braces: a letter for the alphabet
//! ([`Alphabet::of`]) and how often, as `{w36}`, `{u20-40}` or `{b40+}` (at most
//! [`LONGEST`]); `{g}` is a uuid and `{=}` the padding of base64. A part at the
//! very start is read backwards from the literal after it. The pass over a text
//! looks at a pattern only where the first two bytes of its literal stand.

use super::kinds::{Short, number, small};
use super::shape::{self, Alphabet};

/// The longest part of a token that is followed.
pub(super) const LONGEST: usize = 2048;

/// What is done where the literal of a pattern stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Match the whole pattern; that is a token unless it is made up.
    Token,
    /// As `Token`, when the line also names the vendor (`{…}` cannot tell it alone).
    Named,
    /// As `Token`, without a look at how random it is: its form is proof enough.
    Plain,
    /// A token of OpenAI, which holds a fixed mark in the middle.
    OpenAi,
    Url,
    Signature,
    OracleLogin,
    Armour,
    Putty,
    Jwt,
    EncodedArmour,
    Basic,
    Bearer,
    Netrc,
    CommandUser,
    CommandFlag,
    QuotedPair,
    QuotedCall,
    Jwk,
    XmlKey,
    KubernetesSecret,
    Environment,
    Sql,
    PasswordFile,
}

/// One row of the table.
#[derive(Clone, Copy)]
pub(super) struct Pattern {
    text: Short<72>,
    /// Where the literal starts and ends in `text`.
    literal: (u8, u8),
    pub(super) kind: u8,
    pub(super) look: Look,
}

/// Where a token stands and where its random part starts.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) body: usize,
}

const fn row(look: Look, id: &str, text: &str) -> Pattern {
    let bytes = text.as_bytes();
    let mut start = 0;
    if bytes[0] == b'{' {
        while bytes[start] != b'}' {
            start += 1;
        }
        start += 1;
    }
    let mut end = start;
    while end < bytes.len() && bytes[end] != b'{' {
        end += 1;
    }
    assert!(end >= start + 2, "a pattern needs two literal bytes");
    Pattern {
        text: Short::new(text),
        literal: (small(start), small(end)),
        kind: number(id),
        look,
    }
}

const fn token(id: &str, text: &str) -> Pattern {
    row(Look::Token, id, text)
}

const fn named(id: &str, text: &str) -> Pattern {
    row(Look::Named, id, text)
}

const fn plain(id: &str, text: &str) -> Pattern {
    row(Look::Plain, id, text)
}

impl Pattern {
    pub(super) fn literal(&self) -> &[u8] {
        &self.text.bytes()[usize::from(self.literal.0)..usize::from(self.literal.1)]
    }

    /// The token whose literal starts at `at`, if there is one.
    pub(super) fn find(&self, text: &[u8], at: usize) -> Option<Token> {
        let literal = self.literal();
        if !text[at..].starts_with(literal) {
            return None;
        }
        let pattern = self.text.bytes();
        let mut start = at;
        if self.literal.0 > 0 {
            let part = Part::read(pattern)?;
            let before = text[..at]
                .iter()
                .rev()
                .take(part.most + 1)
                .take_while(|byte| part.alphabet.has(**byte))
                .count();
            // The letter of an escape (`\n`) is not of the token.
            let escape = before == part.most + 1 && follows_escape(text, at - part.most);
            if before < part.least || (before > part.most && !escape) {
                return None;
            }
            start -= before.min(part.most);
        } else if !may_start(text, at, literal) {
            return None;
        }
        let mut end = at + literal.len();
        let body = if self.literal.0 > 0 { start } else { end };
        let mut rest = &pattern[usize::from(self.literal.1)..];
        while let Some(&first) = rest.first() {
            if first != b'{' {
                if text.get(end) != Some(&first) {
                    return None;
                }
                end += 1;
                rest = &rest[1..];
                continue;
            }
            let part = Part::read(rest)?;
            let here = text.get(end..)?;
            if part.uuid {
                if !here.get(..36).is_some_and(shape::is_uuid) {
                    return None;
                }
                end += 36;
            } else if part.padding {
                end += here.iter().take(2).take_while(|b| **b == b'=').count();
            } else {
                let length = part.alphabet.run(here, part.most + 1);
                let last = rest.len() == part.length;
                if length < part.least || (length > part.most && (last || part.least == part.most))
                {
                    return None;
                }
                end += length.min(part.most);
            }
            rest = &rest[part.length..];
        }
        let ends_in_word = text.get(end - 1).is_some_and(|b| Alphabet::WORD.has(*b));
        if ends_in_word && text.get(end).is_some_and(|b| Alphabet::WORD.has(*b)) {
            return None;
        }
        Some(Token { start, end, body })
    }
}

/// Whether a token may start at `at`: not in the middle of a word, unless its
/// literal cannot be part of one.
fn may_start(text: &[u8], at: usize, literal: &[u8]) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|i| text.get(i)).copied() else {
        return true;
    };
    if !Alphabet::WORD.has(before) && before != b'_' {
        return true;
    }
    let strong = literal.len() >= 8
        || (literal.len() >= 4 && matches!(literal.last(), Some(b'_' | b'.' | b'/')))
        || !Alphabet::WORD.has(literal[0]);
    strong || follows_escape(text, at)
}

/// Whether the bytes before `at` are an escape (`\n`, `%3D`, `\x3d`) and no letters of a word.
pub(super) fn follows_escape(text: &[u8], at: usize) -> bool {
    let back = |n: usize| {
        at.checked_sub(n)
            .and_then(|i| text.get(i))
            .copied()
            .unwrap_or(0)
    };
    (back(2) == b'\\' && matches!(back(1), b'n' | b't' | b'r'))
        || (matches!(back(3), b'%' | b'=')
            && back(1).is_ascii_hexdigit()
            && back(2).is_ascii_hexdigit()
            && back(3) == b'%')
}

/// One part in braces.
struct Part {
    alphabet: Alphabet,
    least: usize,
    most: usize,
    uuid: bool,
    padding: bool,
    /// The length of its text, braces included.
    length: usize,
}

impl Part {
    fn read(text: &[u8]) -> Option<Self> {
        let close = text.iter().position(|byte| *byte == b'}')?;
        let letter = *text.get(1)?;
        let numbers = text.get(2..close)?;
        let number = |digits: &[u8]| {
            digits
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .fold(0_usize, |sum, byte| sum * 10 + usize::from(byte - b'0'))
        };
        let least = number(numbers);
        let most = match numbers.iter().position(|byte| *byte == b'-') {
            Some(dash) => number(&numbers[dash + 1..]),
            None if numbers.ends_with(b"+") => LONGEST,
            None => least,
        };
        Some(Self {
            alphabet: Alphabet::of(letter),
            least,
            most,
            uuid: letter == b'g',
            padding: letter == b'=',
            length: close + 1,
        })
    }
}

/// The rows. Where two fit the same text, the one written first is reported.
static TABLE: &[Pattern] = ROWS;

const TABLE_LENGTH: usize = ROWS.len();

const ROWS: &[Pattern] = &[
    // Forms with a reader of their own.
    row(Look::Url, "credential-url", "://"),
    row(Look::Signature, "signed-link", "sig="),
    row(Look::Signature, "signed-link", "Signature="),
    row(Look::OracleLogin, "connection-string", ":thin:"),
    row(Look::Armour, "private-key", "-----BEGIN "),
    row(Look::Armour, "private-key", "---- BEGIN "),
    row(Look::Putty, "private-key", "Private-Lines:"),
    row(Look::EncodedArmour, "private-key-base64", "LS0tLS1CRUdJTi"),
    row(Look::Jwt, "json-web-token", "eyJ"),
    row(Look::Jwt, "json-web-token", "ewog"),
    row(Look::Basic, "basic-auth-header", "Basic "),
    row(Look::Basic, "basic-auth-header", "basic "),
    row(Look::Basic, "basic-auth-header", "BASIC "),
    row(Look::Basic, "basic-auth-header", "Basic%20"),
    row(Look::Bearer, "bearer-token", "Bearer "),
    row(Look::Bearer, "bearer-token", "bearer "),
    row(Look::Bearer, "bearer-token", "BEARER "),
    row(Look::Bearer, "bearer-token", "Bearer%20"),
    row(Look::Bearer, "bearer-token", "Token "),
    row(Look::Bearer, "bearer-token", "token "),
    row(Look::Netrc, "netrc-password", "machine "),
    row(Look::Netrc, "netrc-password", "default login "),
    row(Look::CommandUser, "command-credential", "-u "),
    row(Look::CommandUser, "command-credential", "-u'"),
    row(Look::CommandUser, "command-credential", "-u\""),
    row(Look::CommandUser, "command-credential", "-u="),
    row(Look::CommandUser, "command-credential", "--user "),
    row(Look::CommandUser, "command-credential", "--user="),
    row(Look::CommandUser, "command-credential", "--proxy-user "),
    row(Look::CommandUser, "command-credential", "-U "),
    row(Look::CommandUser, "command-credential", "--creds "),
    row(Look::CommandUser, "command-credential", "-p "),
    row(Look::CommandUser, "command-credential", "-p'"),
    row(Look::CommandUser, "command-credential", "-p\""),
    row(Look::CommandUser, "command-credential", " -p"),
    row(Look::CommandUser, "command-credential", "-a "),
    row(Look::CommandUser, "command-credential", "-w "),
    row(Look::CommandUser, "command-credential", "-P "),
    row(Look::CommandFlag, "command-credential", " --"),
    row(Look::CommandFlag, "command-credential", " -storepass "),
    row(Look::CommandFlag, "command-credential", " -keypass "),
    row(Look::CommandFlag, "command-credential", " -password "),
    row(Look::CommandFlag, "command-credential", " -Password "),
    row(Look::CommandFlag, "command-credential", " -token "),
    row(Look::CommandFlag, "command-credential", " -Token "),
    row(Look::Environment, "secret", "configure set "),
    row(Look::QuotedPair, "secret", "\","),
    row(Look::QuotedPair, "secret", "',"),
    row(Look::QuotedCall, "secret", "(\""),
    row(Look::QuotedCall, "secret", "('"),
    row(Look::Jwk, "private-jwk", "\"d\""),
    row(Look::Jwk, "private-jwk", "'d'"),
    row(Look::Jwk, "private-jwk", "\\\"d\\\""),
    row(Look::XmlKey, "private-key-xml", "<D>"),
    row(Look::KubernetesSecret, "kubernetes-secret", "kind: Secret"),
    row(
        Look::KubernetesSecret,
        "kubernetes-secret",
        "kind: \"Secret\"",
    ),
    row(
        Look::KubernetesSecret,
        "kubernetes-secret",
        "\"kind\": \"Secret\"",
    ),
    row(
        Look::KubernetesSecret,
        "kubernetes-secret",
        "\"kind\":\"Secret\"",
    ),
    row(Look::Environment, "secret", "ENV "),
    row(Look::Environment, "secret", "ARG "),
    row(Look::Environment, "secret", "SetEnv "),
    row(Look::Environment, "secret", "setx "),
    row(Look::Environment, "secret", "set -x "),
    row(Look::Environment, "secret", "set -gx "),
    row(Look::Environment, "secret", "setenv "),
    row(Look::Environment, "password", "password "),
    row(Look::Environment, "password", "Password "),
    row(Look::Environment, "password", "passphrase "),
    row(Look::Environment, "password", "requirepass "),
    row(Look::Environment, "password", "masterauth "),
    row(Look::Environment, "password", "secret "),
    row(Look::Environment, "password", "password\t"),
    row(Look::Sql, "password", "PASSWORD "),
    row(Look::Sql, "password", "IDENTIFIED BY "),
    row(Look::Sql, "password", "identified by "),
    row(Look::PasswordFile, "password-hash", ":$"),
    // Code hosting.
    token("github-token", "ghp_{w36}"),
    token("github-token", "gho_{w36}"),
    token("github-token", "ghu_{w36}"),
    token("github-token", "ghs_{w36}"),
    token("github-token", "ghr_{w36-76}"),
    token("github-token", "ghs_{u37-1000}"),
    token("github-fine-grained-token", "github_pat_{w22}_{w59}"),
    token("github-fine-grained-token", "github_pat_{u80-86}"),
    token("gitlab-token", "glpat-{x20-320}"),
    token("gitlab-token", "gldt-{u20-64}"),
    token("gitlab-token", "glrt-{x20-320}"),
    token("gitlab-token", "glrtr-{x20-320}"),
    token("gitlab-token", "glptt-{u20-64}"),
    token("gitlab-token", "glcbt-{w1-5}_{u20-64}"),
    token("gitlab-token", "glimt-{u20-64}"),
    token("gitlab-token", "glft-{u20-64}"),
    token("gitlab-token", "glffct-{u20-64}"),
    token("gitlab-token", "glsoat-{u20-64}"),
    token("gitlab-token", "glagent-{u40-64}"),
    token("gitlab-token", "gloas-{u64}"),
    token("gitlab-token", "glwt-{u20-64}"),
    token("gitlab-token", "GR1348941{u20}"),
    token("gitlab-token", "_gitlab_session={a32}"),
    token("bitbucket-token", "ATCTT3xFfGN0{y100-300}{=}"),
    token("bitbucket-token", "ATBB{w32}"),
    token("atlassian-token", "ATATT3xFfG{y100-300}{=}"),
    token("atlassian-token", "ATATT3{y150-300}{=}"),
    token("atlassian-token", "ATSTT3xFfG{y100-300}{=}"),
    token("gitea-token", "gta_{h40}"),
    token("sourcegraph-token", "sgp_{h16}_{h40}"),
    token("sourcegraph-token", "sgp_local_{h40}"),
    token("sourcegraph-token", "sgp_{h40}"),
    token("sourcegraph-token", "slk_{h64}"),
    // Clouds.
    token("aws-access-key-id", "AKIA{A16}"),
    token("aws-access-key-id", "ASIA{A16}"),
    token("aws-access-key-id", "ABIA{A16}"),
    token("aws-access-key-id", "ACCA{A16}"),
    token("aws-bedrock-key", "ABSK{b109-269}{=}"),
    token(
        "aws-bedrock-key",
        "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{y20+}{=}",
    ),
    token("aws-mws-key", "amzn.mws.{g}"),
    token("google-api-key", "AIza{u35}"),
    token("google-api-key", "AQ.Ab8RN6{u40-80}"),
    token("google-oauth-secret", "GOCSPX-{u28}"),
    token("google-oauth-token", "ya29.{x40-1000}"),
    token("google-oauth-token", "1//0{u40-200}"),
    token("firebase-server-key", "AAAA{u7}:APA91b{u134-180}"),
    token("azure-client-secret", "{x4}Q~{x31-34}"),
    token("azure-storage-key", "AccountKey={b86}=="),
    token("azure-storage-key", "{b76}+ASt{b6}=="),
    token("azure-storage-key", "{b76}ACDb{b6}=="),
    token("azure-shared-access-key", "SharedAccessKey={b42-43}="),
    token("azure-shared-access-key", "{b33}+ASb{b6}="),
    token("azure-shared-access-key", "{b33}AIoT{b6}="),
    token("azure-devops-token", "{w76}AZDO{w4}"),
    token(
        "azure-function-key",
        ".azurewebsites.net/api/{x1-80}?code={y40-90}{=}",
    ),
    token("azure-function-key", "{y44}AzFu{y6}=="),
    token("alibaba-access-key", "LTAI{w20}"),
    token("alibaba-access-key", "LTAI{w12}"),
    token("tencent-secret-id", "AKID{w32}"),
    token("yandex-token", "AQVN{u35-38}"),
    token("yandex-token", "YCAJE{u20}"),
    token("yandex-token", "y0_{u55-60}"),
    token("digitalocean-token", "dop_v1_{h64}"),
    token("digitalocean-token", "doo_v1_{h64}"),
    token("digitalocean-token", "dor_v1_{h64}"),
    token("heroku-key", "HRKU-{u60}"),
    token("heroku-key", "HRKU-{g}"),
    token("fly-token", "fo1_{u43}"),
    token("fly-token", "fm1r_{y100+}{=}"),
    token("fly-token", "fm1a_{y100+}{=}"),
    token("fly-token", "fm2_{y100+}{=}"),
    token("render-key", "rnd_{w28-40}"),
    token("vercel-token", "vcp_{w24-80}"),
    token("vercel-token", "vca_{w24-80}"),
    token("vercel-token", "vci_{w24-80}"),
    token("vercel-token", "vck_{w24-80}"),
    token("vercel-token", "vercel_blob_rw_{w16}_{w30}"),
    token("netlify-token", "nfp_{w36-44}"),
    token("netlify-token", "nfc_{w36-44}"),
    token("cloudflare-token", "cfut_{w40-64}"),
    token("cloudflare-token", "cfat_{w40-64}"),
    token("cloudflare-origin-ca-key", "v1.0-{h24}-{h146}"),
    // Data stores.
    token("databricks-token", "dapi{h32}"),
    token("databricks-token", "dose{h32}"),
    token("supabase-key", "sbp_{h40}"),
    token("supabase-key", "sb_secret_{u24-60}"),
    token("planetscale-token", "pscale_tkn_{x32-64}"),
    token("planetscale-token", "pscale_pw_{x32-64}"),
    token("planetscale-token", "pscale_oauth_{x32-64}"),
    token("neon-key", "napi_{a60-68}"),
    token("neon-key", "npg_{w12-24}"),
    token("mongodb-atlas-key", "mdb_sa_sk_{u40}"),
    token("confluent-secret", "cflt{b60}"),
    token("clickhouse-key", "4b1d{w38}"),
    token("elastic-key", "essu_{b60-120}{=}"),
    token("airtable-token", "pat{w14}.{h64}"),
    token("pinecone-key", "pcsk_{w5-6}_{w60-64}"),
    token("confluent-secret", "dnkey-{u26}-{u52}"),
    // Infrastructure.
    token("terraform-cloud-token", "{w14}.atlasv1.{u60-70}"),
    token("vault-token", "hvs.{u24-130}"),
    token("vault-token", "hvb.{u90-320}"),
    token("vault-token", "hvr.{u24-130}"),
    named("vault-token", "s.{w24}"),
    token("pulumi-token", "pul-{h40}"),
    token("doppler-token", "dp.pt.{w40-44}"),
    token("doppler-token", "dp.st.{w40-44}"),
    token("doppler-token", "dp.st.{u2-35}.{w40-44}"),
    token("doppler-token", "dp.ct.{w40-44}"),
    token("doppler-token", "dp.sa.{w40-44}"),
    token("doppler-token", "dp.scim.{w40-44}"),
    token("doppler-token", "dp.audit.{w40-44}"),
    token("onepassword-token", "ops_eyJ{y200+}{=}"),
    token("onepassword-secret-key", "A3-{A6}-{A6}-{A5}-{A5}-{A5}-{A5}"),
    token("onepassword-secret-key", "A3-{A6}-{A11}-{A5}-{A5}-{A5}"),
    token("infisical-token", "st.{h24}.{h32}.{h32}"),
    token("bitwarden-token", "0.{g}.{w30}:{b22}=="),
    token("age-secret-key", "AGE-SECRET-KEY-1{A58}"),
    token("age-secret-key", "AGE-SECRET-KEY-PQ-1{A58}"),
    token("tailscale-key", "tskey-{l3-9}-{w10-20}CNTRL-{w16-40}"),
    token("tailscale-key", "tskey-{l3-9}-{w8-24}-{w16-40}"),
    token("ngrok-token", "ak_{w27}"),
    token("openshift-token", "sha256~{u43}"),
    token("docker-hub-token", "dckr_pat_{u27}"),
    token("docker-hub-token", "dckr_oat_{u27-40}"),
    // Packages and builds.
    token("npm-token", "npm_{w36}"),
    token("pypi-token", "pypi-AgE{u40-1000}"),
    token("pypi-token", "pypi-AgENdGVzdC5weXBpLm9yZw{u40-1000}"),
    token("rubygems-key", "rubygems_{h48}"),
    token("crates-io-token", "cio{w32}"),
    token("nuget-key", "oy2{a43}"),
    token("clojars-token", "CLOJARS_{a60}"),
    token("packagist-token", "packagist_uut_{h68}"),
    token("packagist-token", "packagist_oat_{h68}"),
    token("packagist-token", "packagist_out_{h68}"),
    token("jfrog-token", "AKCp{w69}"),
    token("jfrog-token", "cmVmd{w59}"),
    token("sonar-token", "squ_{h40}"),
    token("sonar-token", "sqp_{h40}"),
    token("sonar-token", "sqa_{h40}"),
    token("snyk-token", "snyk_uat.{x30-120}"),
    token("snyk-token", "snyk_sat.{x30-120}"),
    token("circleci-token", "CCIPAT_{w22}_{h40}"),
    token("circleci-token", "CCIPRJ_{w22}_{h40}"),
    token("buildkite-token", "bkua_{h40}"),
    token("buildkite-token", "bkct_{w20-64}"),
    token("octopus-key", "API-{A25-34}"),
    token("harness-key", "pat.{u22}.{w24}.{w20}"),
    token("harness-key", "sat.{u22}.{w24}.{w20}"),
    token("prefect-key", "pnu_{w36}"),
    token("prefect-key", "pnb_{w36}"),
    token("secret", "ico-{w32}"),
    // Models.
    row(Look::OpenAi, "openai-key", "sk-{u20-200}"),
    token("anthropic-key", "sk-ant-{a3-12}-{u40-140}"),
    token("openrouter-key", "sk-or-v1-{h64}"),
    token("openai-key", "sk-proj-{u48-200}"),
    token("openai-key", "sk-svcacct-{u48-200}"),
    token("openai-key", "sk-admin-{u48-200}"),
    token("openai-key", "sk-None-{u40-200}"),
    token("langsmith-key", "sk-lf-{g}"),
    token("deepseek-key", "sk-{w32}"),
    token("openai-key", "sk-{w48}"),
    token("deepseek-key", "sk-{w49-64}"),
    token("huggingface-token", "hf_{w34-40}"),
    token("huggingface-token", "api_org_{w34}"),
    token("replicate-token", "r8_{w37-40}"),
    token("groq-key", "gsk_{w48-56}"),
    token("xai-key", "xai-{w70-90}"),
    token("perplexity-key", "pplx-{w40-56}"),
    token("together-key", "tgp_v1_{u40-48}"),
    token("elevenlabs-key", "sk_{h48}"),
    token("nvidia-key", "nvapi-{u60-70}"),
    token("langsmith-key", "lsv2_pt_{h32}_{h10}"),
    token("langsmith-key", "lsv2_sk_{h32}_{h10}"),
    token("langsmith-key", "ls__{h32}"),
    token("fireworks-key", "fw_{w22-24}"),
    token("cerebras-key", "csk-{a48}"),
    token("tavily-key", "tvly-{u32-48}"),
    token("wandb-key", "wandb_v1_{u40-100}"),
    // Messages.
    token("slack-token", "xoxb-{d8-14}-{d8-14}-{w18-34}"),
    token("slack-token", "xoxb-{d8-14}-{w18-34}"),
    token("slack-token", "xoxp-{d8-14}-{d8-14}-{d8-14}-{w24-36}"),
    token("slack-token", "xoxp-{d8-14}-{d8-14}-{w24-36}"),
    token("slack-token", "xoxe-{d8-14}-{d8-14}-{d8-14}-{w24-36}"),
    token("slack-token", "xoxe-{d1}-{w140-180}"),
    token("slack-token", "xoxe.xoxb-{d1}-{w150-180}"),
    token("slack-token", "xoxe.xoxp-{d1}-{w150-180}"),
    token("slack-token", "xoxo-{d8-14}-{d8-14}-{d8-14}-{h10-64}"),
    token("slack-token", "xoxs-{d8-14}-{d8-14}-{d8-14}-{h10-64}"),
    token("slack-token", "xoxa-{u20-80}"),
    token("slack-token", "xoxr-{u20-80}"),
    token("slack-token", "xoxc-{d8-14}-{d8-14}-{d8-14}-{h64}"),
    token("slack-token", "xoxd-{y60-300}"),
    token("slack-token", "xapp-{d1}-{A8-14}-{d8-14}-{a60-70}"),
    token("slack-token", "xwfp-{d8-14}-{d8-14}-{w24-36}"),
    token(
        "slack-webhook",
        "hooks.slack.com/services/T{A7-12}/B{A7-12}/{w20-28}",
    ),
    token(
        "slack-webhook",
        "hooks.slack-gov.com/services/T{A7-12}/B{A7-12}/{w20-28}",
    ),
    token(
        "slack-webhook",
        "hooks.slack.com/workflows/T{A7-12}/A{A7-12}/{d15-20}/{w20-28}",
    ),
    token(
        "slack-webhook",
        "hooks.slack.com/triggers/{A8-14}/{d10-18}/{h24-40}",
    ),
    token("discord-token", "MT{w22-26}.{u6}.{u27-45}"),
    token("discord-token", "OT{w22-26}.{u6}.{u27-45}"),
    token("discord-token", "Mz{w22-26}.{u6}.{u27-45}"),
    token("discord-token", "ND{w22-26}.{u6}.{u27-45}"),
    token("discord-token", "NT{w22-26}.{u6}.{u27-45}"),
    token("discord-token", "Nj{w22-26}.{u6}.{u27-45}"),
    token("discord-token", "Nz{w22-26}.{u6}.{u27-45}"),
    token("discord-token", "OD{w22-26}.{u6}.{u27-45}"),
    token("discord-token", "Mj{w22-26}.{u6}.{u27-45}"),
    token("discord-token", "mfa.{u80-90}"),
    token(
        "discord-webhook",
        "discord.com/api/webhooks/{d17-20}/{u60-80}",
    ),
    token(
        "discord-webhook",
        "discordapp.com/api/webhooks/{d17-20}/{u60-80}",
    ),
    token(
        "discord-webhook",
        "discord.com/api/v10/webhooks/{d17-20}/{u60-80}",
    ),
    token(
        "discord-webhook",
        "discord.com/api/v9/webhooks/{d17-20}/{u60-80}",
    ),
    plain(
        "teams-webhook",
        "webhook.office.com/webhookb2/{g}@{g}/IncomingWebhook/{h32}/{g}",
    ),
    plain(
        "teams-webhook",
        "outlook.office.com/webhook/{g}@{g}/IncomingWebhook/{h32}/{g}",
    ),
    plain(
        "teams-webhook",
        "outlook.office365.com/webhook/{g}@{g}/IncomingWebhook/{h32}/{g}",
    ),
    token("telegram-token", "{d8-10}:AA{u32-33}"),
    token(
        "chat-webhook",
        "chat.googleapis.com/v1/spaces/{u8-16}/messages?key={u39}&token={u40+}",
    ),
    plain("chat-webhook", "open.feishu.cn/open-apis/bot/v2/hook/{g}"),
    plain(
        "chat-webhook",
        "open.larksuite.com/open-apis/bot/v2/hook/{g}",
    ),
    token("chat-webhook", "open.feishu.cn/open-apis/bot/hook/{h32}"),
    token(
        "chat-webhook",
        "oapi.dingtalk.com/robot/send?access_token={h64}",
    ),
    plain(
        "chat-webhook",
        "qyapi.weixin.qq.com/cgi-bin/webhook/send?key={g}",
    ),
    token("chat-webhook", "/hooks/{a26}"),
    token("chat-webhook", "/hooks/{w17}/{w40-44}"),
    token(
        "automation-webhook",
        "hooks.zapier.com/hooks/catch/{d5-9}/{a6-8}",
    ),
    token(
        "automation-webhook",
        "maker.ifttt.com/trigger/{u1-60}/with/key/{u20-46}",
    ),
    token(
        "automation-webhook",
        "maker.ifttt.com/trigger/{u1-60}/json/with/key/{u20-46}",
    ),
    token("automation-webhook", "maker.ifttt.com/use/{u20-46}"),
    token("automation-webhook", "hook.eu1.make.com/{a28-36}"),
    token("automation-webhook", "hook.eu2.make.com/{a28-36}"),
    token("automation-webhook", "hook.us1.make.com/{a28-36}"),
    token("automation-webhook", "hook.us2.make.com/{a28-36}"),
    token("automation-webhook", "hook.integromat.com/{a28-36}"),
    token(
        "automation-webhook",
        "events.pagerduty.com/integration/{a32}/enqueue",
    ),
    token("twilio-key", "SK{h32}"),
    token("sendgrid-key", "SG.{u22}.{u43}"),
    named("mailgun-key", "key-{h32}"),
    token("mailchimp-key", "{h32}-us{d1-2}"),
    named("mailchimp-key", "md-{u22}"),
    token("brevo-key", "xkeysib-{h64}-{w16}"),
    token("brevo-key", "xsmtpsib-{h64}-{w16}"),
    token("resend-key", "re_{w8}_{w24}"),
    token("facebook-token", "EAAC{w90-300}"),
    token("facebook-token", "EAAM{w90-300}"),
    token("facebook-token", "EAAB{w90-300}"),
    token("facebook-token", "EAAG{w90-300}"),
    token("facebook-token", "EAA{w91-300}"),
    token("facebook-token", "IGQVJ{w90-300}"),
    token("twitter-token", "AAAAAAAAAAAAAAAAAAAAA{x60-110}"),
    token("twitter-token", "AAAAAAAAAAAAAAAAAAAAA{w8}%{x40-110}"),
    // Money.
    token("stripe-key", "sk_live_{w10-120}"),
    token("stripe-key", "sk_test_{w10-120}"),
    token("stripe-key", "sk_org_{w10-120}"),
    token("stripe-key", "rk_live_{w10-120}"),
    token("stripe-key", "rk_test_{w10-120}"),
    token("stripe-key", "whsec_{b24-64}{=}"),
    token("shopify-token", "shpat_{h32}"),
    token("shopify-token", "shpca_{h32}"),
    token("shopify-token", "shppa_{h32}"),
    token("shopify-token", "shpss_{h32}"),
    token("shopify-token", "shpua_{h32}"),
    token("shopify-token", "shptka_{h32}"),
    token("square-token", "EAAAE{u55-60}"),
    token("square-token", "EAAAl{u55-60}"),
    token("square-token", "EAAAF{u55-60}"),
    token("square-token", "sq0atp-{u22}"),
    token("square-token", "sq0csp-{u43}"),
    token("paypal-token", "access_token$production${a16}${h32}"),
    token("paypal-token", "access_token$sandbox${a16}${h32}"),
    token("plaid-token", "access-production-{g}"),
    token("plaid-token", "access-sandbox-{g}"),
    token("plaid-token", "access-development-{g}"),
    token("adyen-key", "AQE{b20-30}hmfuf{b50-200}{=}"),
    token("flutterwave-key", "FLWSECK-{a32}-X"),
    token("flutterwave-key", "FLWSECK_TEST-{a32}-X"),
    token("shippo-token", "shippo_live_{h40}"),
    token("shippo-token", "shippo_test_{h40}"),
    token("easypost-key", "EZAK{w54}"),
    token("easypost-key", "EZTK{w54}"),
    token("wallet-private-key", "xprv{w107-108}"),
    token("wallet-private-key", "zprv{w107-108}"),
    token("wallet-private-key", "yprv{w107-108}"),
    // Watching.
    token("sentry-token", "sntrys_{y40-400}{=}_{y43}"),
    token("sentry-token", "sntrys_eyJ{y60-500}{=}"),
    token("sentry-token", "sntryu_{h64}"),
    token("new-relic-key", "NRAK-{w27}"),
    token("new-relic-key", "NRII-{u32}"),
    token("new-relic-key", "NRIQ-{u32}"),
    token("new-relic-key", "NRRA-{h42}"),
    token("new-relic-key", "{h36}NRAL"),
    token("new-relic-key", "NRAL-{w36}"),
    token("grafana-token", "glsa_{w32}_{h8}"),
    token("grafana-token", "glc_{y32-400}{=}"),
    token("grafana-token", "eyJrIjoi{y60-400}{=}"),
    token("dynatrace-token", "dt0c01.{A24}.{A64}"),
    token("dynatrace-token", "dt0s01.{A8-24}.{A64}"),
    token("dynatrace-token", "dt0s02.{A8-24}.{A64}"),
    token("dynatrace-token", "dt0s16.{A8-24}.{A64}"),
    token("honeycomb-key", "hcaik_{a58}"),
    token("honeycomb-key", "hcaic_{a58}"),
    token("honeycomb-key", "hcamk_{a58}"),
    token("launchdarkly-key", "sdk-{g}"),
    named("launchdarkly-key", "api-{g}"),
    token("posthog-key", "phx_{w40-60}"),
    // Sign-in.
    named("okta-token", "00{u40}"),
    token("workos-key", "sk_live_{w50-130}"),
    // Work.
    token("linear-key", "lin_api_{w40}"),
    token("linear-key", "lin_oauth_{h64}"),
    token("linear-key", "lin_wh_{w38-42}"),
    token("notion-token", "ntn_{w43-50}"),
    named("notion-token", "secret_{w43}"),
    token("figma-token", "figd_{u36-48}"),
    token("figma-token", "figdr_{u36-48}"),
    token("figma-token", "figu_{u36-48}"),
    token("asana-token", "2/{d12-17}/{d12-17}:{h32}"),
    token("asana-token", "1/{d12-17}:{h32}"),
    named("asana-token", "0/{h32}"),
    token("clickup-token", "pk_{d5-10}_{A32}"),
    token("hubspot-token", "pat-na1-{g}"),
    token("hubspot-token", "pat-na2-{g}"),
    token("hubspot-token", "pat-eu1-{g}"),
    token("hubspot-token", "pat-ap1-{g}"),
    token("salesforce-token", "00D{w12-15}!{x60-120}"),
    token("salesforce-token", "5Aep861{x60-120}"),
    token("postman-key", "PMAK-{h24}-{h34}"),
    token("dropbox-token", "sl.u.{u130-1300}"),
    token("dropbox-token", "sl.{u130-1300}"),
    token("adobe-secret", "p8e-{u32}"),
    token("contentful-token", "CFPAT-{u43}"),
    token("mapbox-token", "sk.eyJ{u30-140}.{u22}"),
    token("typeform-token", "tfp_{x40-64}"),
    token("readme-key", "rdme_{a70}"),
    token("duffel-token", "duffel_live_{u43}"),
    token("duffel-token", "duffel_test_{u43}"),
    token("frameio-token", "fio-u-{u64}"),
    token("maxmind-key", "{u36}_mmk"),
    token("trello-token", "ATTA{h64}"),
    token("rapidapi-key", "{a10}msh{a15}p1{h6}jsn{h12}"),
    // Signed links.
    token("signed-link", "X-Amz-Signature={h64}"),
    token("signed-link", "x-amz-signature={h64}"),
    token("signed-link", "X-Goog-Signature={h100+}"),
    token("signed-link", "x-goog-signature={h100+}"),
    token("signed-link", "X-Tos-Signature={h64}"),
    token("signed-link", "q-signature={h40}"),
];

/// One bit for each pair of bytes that starts a row, or that is an assignment sign with anything after it.
static STARTS: [u64; 1024] = starts();

const fn starts() -> [u64; 1024] {
    let mut bits = [0; 1024];
    let mut i = 0;
    while i < TABLE_LENGTH {
        let pair = pair(&ROWS[i]) as usize;
        bits[pair / 64] |= 1 << (pair % 64);
        i += 1;
    }
    let signs = [b'=', b':', b'>'];
    let mut s = 0;
    while s < signs.len() {
        let mut word = 0;
        while word < 4 {
            bits[signs[s] as usize * 4 + word] = u64::MAX;
            word += 1;
        }
        s += 1;
    }
    bits
}

const fn pair(row: &Pattern) -> u16 {
    let at = row.literal.0 as usize;
    (row.text.at(at) as u16) << 8 | row.text.at(at + 1) as u16
}

/// The rows by their first pair of bytes; equal pairs in the order of the table.
static ORDER: [(u16, u16); TABLE_LENGTH] = order();

#[expect(
    clippy::cast_possible_truncation,
    reason = "the table has a few hundred rows"
)]
const fn order() -> [(u16, u16); TABLE_LENGTH] {
    let mut sorted = [(0, 0); TABLE_LENGTH];
    let mut i = 0;
    while i < TABLE_LENGTH {
        let entry = (pair(&ROWS[i]), i as u16);
        let mut at = i;
        while at > 0 && sorted[at - 1].0 > entry.0 {
            sorted[at] = sorted[at - 1];
            at -= 1;
        }
        sorted[at] = entry;
        i += 1;
    }
    sorted
}

/// Whether anything may start at a byte `first` followed by `second`.
pub(super) fn may_be(first: u8, second: u8) -> bool {
    let pair = usize::from(first) << 8 | usize::from(second);
    STARTS[pair / 64] >> (pair % 64) & 1 == 1
}

/// The rows whose literal starts with these two bytes.
pub(super) fn rows(first: u8, second: u8) -> impl Iterator<Item = &'static Pattern> {
    let wanted = u16::from(first) << 8 | u16::from(second);
    let from = ORDER.partition_point(|(pair, _)| *pair < wanted);
    ORDER[from..]
        .iter()
        .take_while(move |(pair, _)| *pair == wanted)
        .map(|(_, row)| &TABLE[usize::from(*row)])
}

/// Whether the whole of `value` has the form `form`, written as a pattern.
pub(super) fn fits(form: &[u8], value: &[u8]) -> bool {
    let mut rest = form;
    let mut at = 0;
    while let Some(&first) = rest.first() {
        if first != b'{' {
            if value.get(at) != Some(&first) {
                return false;
            }
            at += 1;
            rest = &rest[1..];
            continue;
        }
        let (Some(part), Some(here)) = (Part::read(rest), value.get(at..)) else {
            return false;
        };
        at += if part.uuid {
            if !here.get(..36).is_some_and(shape::is_uuid) {
                return false;
            }
            36
        } else if part.padding {
            here.iter().take(2).take_while(|b| **b == b'=').count()
        } else {
            let length = part.alphabet.run(here, part.most + 1);
            if length < part.least || length > part.most {
                return false;
            }
            length
        };
        rest = &rest[part.length..];
    }
    at == value.len()
}
