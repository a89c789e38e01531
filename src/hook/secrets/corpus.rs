//! Labelled texts for the tests, made from a seed: nothing token-shaped is kept
//! in the repository. The formats are what the vendors' documents say, written
//! here on their own; the rule table is not looked at.

use std::fmt::Write as _;

/// One text, the file it goes to, and what it holds.
pub(super) struct Sample {
    /// The name of what is hidden in it; nothing for a clean text.
    pub(super) secret: Option<&'static str>,
    /// The sort of text.
    pub(super) sort: &'static str,
    pub(super) path: &'static str,
    pub(super) text: String,
    /// The secret itself, for the test that nothing repeats it.
    pub(super) value: String,
}

/// A small generator of numbers (splitmix64).
pub(super) struct Seed(pub(super) u64);

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

impl Seed {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most as u64).unwrap()
    }

    pub(super) fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn letters(&mut self, alphabet: &str, count: usize) -> String {
        let all: Vec<char> = alphabet.chars().collect();
        (0..count).map(|_| all[self.below(all.len())]).collect()
    }

    fn alphabet(name: &str) -> String {
        match name {
            "an" => format!("{LOWER}{UPPER}{DIGITS}"),
            "url" => format!("{LOWER}{UPPER}{DIGITS}-_"),
            "b64" => format!("{LOWER}{UPPER}{DIGITS}+/"),
            "hex" => format!("{DIGITS}abcdef"),
            "HEX" => format!("{DIGITS}ABCDEF"),
            "num" => DIGITS.to_owned(),
            "low" => format!("{LOWER}{DIGITS}"),
            "up" => format!("{UPPER}{DIGITS}"),
            "b32" => format!("{UPPER}234567"),
            "abc" => LOWER.to_owned(),
            "bech" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".to_owned(),
            "b58" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".to_owned(),
            other => panic!("no alphabet {other}"),
        }
    }

    /// Fills a form: `‹an36›` is thirty-six letters and digits, `‹uuid›` a uuid,
    /// `‹pw›` a password, `‹b64:form›` the base64 of a filled form.
    pub(super) fn fill(&mut self, form: &str) -> String {
        let mut out = String::new();
        let mut rest = form;
        while let Some(open) = rest.find('‹') {
            out.push_str(&rest[..open]);
            let inner_at = open + '‹'.len_utf8();
            let close = matching(rest, inner_at);
            let inner = &rest[inner_at..close];
            rest = &rest[close + '›'.len_utf8()..];
            if let Some(literal) = inner.strip_prefix("lit:") {
                // Keeps what only looks like a token from standing in one piece here.
                out.push_str(literal);
            } else if let Some(form) = inner.strip_prefix("b64:") {
                let plain = self.fill(form);
                out.push_str(&base64(plain.as_bytes(), false));
            } else if let Some(form) = inner.strip_prefix("b64url:") {
                let plain = self.fill(form);
                out.push_str(base64(plain.as_bytes(), true).trim_end_matches('='));
            } else if inner == "uuid" {
                let hex = self.letters(&Self::alphabet("hex"), 32);
                let _ = write!(
                    out,
                    "{}-{}-4{}-a{}-{}",
                    &hex[..8],
                    &hex[8..12],
                    &hex[13..16],
                    &hex[17..20],
                    &hex[20..]
                );
            } else if inner == "pw" {
                out.push_str(&self.password());
            } else if inner == "word" {
                out.push_str(self.one(WORDS));
            } else {
                let split = inner.find(|c: char| c.is_ascii_digit()).unwrap();
                let (name, count) = if inner.starts_with('b') && !inner.starts_with("bech") {
                    inner.split_at(3)
                } else {
                    inner.split_at(split)
                };
                let alphabet = Self::alphabet(name);
                out.push_str(&self.letters(&alphabet, count.parse().unwrap()));
            }
        }
        out.push_str(rest);
        out
    }

    /// A password such as a generator or a careful person makes.
    fn password(&mut self) -> String {
        match self.below(5) {
            0 => {
                let n = 12 + self.below(12);
                self.random_word("an", n)
            }
            1 => {
                let n = 10 + self.below(8);
                format!(
                    "{}{}{}",
                    self.random_word("an", n),
                    self.one(&["!", "*", "-", "_", "."]),
                    self.random_word("num", 2)
                )
            }
            2 => {
                let n = 16 + self.below(8);
                self.random_word("low", n)
            }
            3 => format!(
                "{}{}!{}{}",
                capital(self.one(WORDS)),
                self.random_word("num", 4),
                self.random_word("an", 4),
                self.random_word("num", 1)
            ),
            _ => {
                let n = 20 + self.below(12);
                self.random_word("url", n).replace('-', "x")
            }
        }
    }

    /// Noise of an alphabet that has at least one digit and one letter where it can.
    fn random_word(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet = Self::alphabet(alphabet);
        for _ in 0..50 {
            let word = self.letters(&alphabet, count);
            let digits = word.bytes().filter(u8::is_ascii_digit).count();
            if count < 4
                || !alphabet.contains('7')
                || (digits > 0 && (digits < count || alphabet == DIGITS))
            {
                return word;
            }
        }
        unreachable!("fifty words without a digit")
    }
}

fn matching(text: &str, from: usize) -> usize {
    let mut depth = 1;
    for (at, c) in text[from..].char_indices() {
        match c {
            '‹' => depth += 1,
            '›' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return from + at;
        }
    }
    panic!("a form without its end: {text}")
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

pub(super) fn base64(bytes: &[u8], url: bool) -> String {
    let alphabet = format!("{UPPER}{LOWER}{DIGITS}{}", if url { "-_" } else { "+/" });
    let alphabet = alphabet.as_bytes();
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let n = u32::from(chunk[0]) << 16
            | u32::from(*chunk.get(1).unwrap_or(&0)) << 8
            | u32::from(*chunk.get(2).unwrap_or(&0));
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(char::from(alphabet[(n >> (18 - 6 * i) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

const WORDS: &[&str] = &[
    "river", "orchid", "lantern", "copper", "meadow", "falcon", "harbor", "violet", "thunder",
    "walnut", "glacier", "saffron", "ember", "willow", "granite",
];

/// What vendors' documents say their tokens look like, and a name they are kept under.
const TOKENS: &[(&str, &str, &str)] = &[
    ("github-token", "GITHUB_TOKEN", "ghp_‹an36›"),
    ("github-oauth", "GH_OAUTH", "gho_‹an36›"),
    ("github-server", "GH_APP", "ghs_‹an36›"),
    ("github-user", "GH_USER", "ghu_‹an36›"),
    ("github-refresh", "GH_REFRESH", "ghr_‹an76›"),
    (
        "github-fine-grained",
        "GITHUB_PAT",
        "github_pat_‹an22›_‹an59›",
    ),
    ("gitlab-pat", "GITLAB_TOKEN", "glpat-‹url20›"),
    ("gitlab-pat-routable", "CI_TOKEN", "glpat-‹url27›.01.‹low9›"),
    ("gitlab-deploy", "DEPLOY", "gldt-‹url20›"),
    ("gitlab-runner", "RUNNER", "glrt-‹url20›"),
    ("gitlab-trigger", "TRIGGER", "glptt-‹hex40›"),
    ("gitlab-job", "JOB", "glcbt-64_‹url20›"),
    ("gitlab-feed", "FEED", "glft-‹url20›"),
    ("gitlab-agent", "KAS", "glagent-‹url50›"),
    ("gitlab-scim", "SCIM", "glsoat-‹url20›"),
    ("gitlab-mail", "MAIL", "glimt-‹low25›"),
    ("gitlab-app", "OAUTH_APP", "gloas-‹hex64›"),
    ("gitlab-registration", "REG", "GR1348941‹url20›"),
    ("bitbucket-app-password", "BITBUCKET", "ATBB‹an32›"),
    (
        "bitbucket-access-token",
        "BB_TOKEN",
        "ATCTT3xFfGN0‹url160›=‹HEX8›",
    ),
    (
        "atlassian-api-token",
        "JIRA_TOKEN",
        "ATATT3xFfGF0‹url171›=‹HEX8›",
    ),
    ("aws-key-id", "AWS_ACCESS_KEY_ID", "AKIA‹b3216›"),
    ("aws-sts-key-id", "AWS_ACCESS_KEY_ID", "ASIA‹b3216›"),
    ("aws-bedrock", "AWS_BEARER_TOKEN_BEDROCK", "ABSK‹b64128›="),
    ("google-api-key", "GOOGLE_API_KEY", "AIzaSy‹url33›"),
    (
        "google-oauth-secret",
        "GOOGLE_CLIENT_SECRET",
        "GOCSPX-‹url28›",
    ),
    ("google-access-token", "ACCESS", "ya29.a0‹url140›"),
    ("google-refresh-token", "REFRESH", "1//0g‹url98›"),
    ("fcm-server-key", "FCM_KEY", "AAAA‹url7›:APA91b‹url134›"),
    ("azure-ad-secret", "AZURE_CLIENT_SECRET", "‹an3›8Q~‹url34›"),
    ("azure-devops-pat", "AZP_TOKEN", "‹an76›AZDO‹an4›"),
    ("alibaba-id", "ALIYUN_ID", "LTAI5t‹an18›"),
    ("tencent-id", "TENCENT_ID", "AKID‹an32›"),
    ("yandex-api-key", "YC_KEY", "AQVN‹url36›"),
    ("digitalocean", "DO_TOKEN", "dop_v1_‹hex64›"),
    ("digitalocean-oauth", "DO_OAUTH", "doo_v1_‹hex64›"),
    ("heroku-v2", "HEROKU", "HRKU-AA‹url58›"),
    ("fly", "FLY_API_TOKEN", "fo1_‹url43›"),
    ("fly-macaroon", "FLY_API_TOKEN", "fm2_lJPECAAAAAAA‹b64180›"),
    ("render", "RENDER", "rnd_‹an32›"),
    ("vercel-blob", "BLOB", "vercel_blob_rw_‹an16›_‹an30›"),
    ("netlify", "NETLIFY", "nfp_‹an40›"),
    ("cloudflare-origin-ca", "ORIGIN_CA", "v1.0-‹hex24›-‹hex146›"),
    ("databricks", "DATABRICKS_TOKEN", "dapi‹hex32›"),
    ("databricks-dashed", "DATABRICKS_TOKEN", "dapi‹hex32›-2"),
    ("supabase-pat", "SUPABASE", "sbp_‹hex40›"),
    ("supabase-secret", "SUPABASE", "sb_secret_‹url22›_‹an8›"),
    ("planetscale-token", "PSCALE", "pscale_tkn_‹url43›"),
    ("planetscale-password", "PSCALE", "pscale_pw_‹url43›"),
    ("neon", "NEON", "napi_‹low64›"),
    ("atlas-service-account", "ATLAS", "mdb_sa_sk_‹url40›"),
    ("airtable", "AIRTABLE", "pat‹an14›.‹hex64›"),
    ("pinecone", "PINECONE", "pcsk_‹an6›_‹an63›"),
    ("terraform-cloud", "TFE_TOKEN", "‹an14›.atlasv1.‹url67›"),
    ("vault-service", "VAULT_TOKEN", "hvs.CAESI‹url91›"),
    ("vault-root", "VAULT_TOKEN", "hvs.‹an24›"),
    ("vault-batch", "VAULT_TOKEN", "hvb.AAAAAQ‹url140›"),
    ("pulumi", "PULUMI", "pul-‹hex40›"),
    ("doppler-personal", "DOPPLER", "dp.pt.‹an43›"),
    ("doppler-service", "DOPPLER", "dp.st.prd.‹an43›"),
    (
        "onepassword-service",
        "OP_SERVICE_ACCOUNT_TOKEN",
        "ops_‹b64url:{\"signInAddress\":\"my.1password.com\",\"userAuth\":{\"method\":\"SRPg-4096\",\"alg\":\"PBES2g-HS256\",\"iterations\":650000,\"salt\":\"‹url22›\"},\"email\":\"‹low16›@1passwordserviceaccounts.com\",\"srpX\":\"‹hex64›\"}›",
    ),
    (
        "onepassword-secret-key",
        "OP",
        "A3-‹up6›-‹up6›-‹up5›-‹up5›-‹up5›-‹up5›",
    ),
    ("age", "AGE", "AGE-SECRET-KEY-1‹bech58›"),
    ("tailscale", "TS_AUTHKEY", "tskey-auth-‹an12›CNTRL-‹an32›"),
    ("openshift", "OC", "sha256~‹url43›"),
    ("docker-hub", "DOCKERHUB", "dckr_pat_‹url27›"),
    ("npm", "NPM_TOKEN", "npm_‹an36›"),
    ("pypi", "TWINE_PASSWORD", "pypi-AgEIcHlwaS5vcmcCJ‹url150›"),
    (
        "pypi-test",
        "TWINE_PASSWORD",
        "pypi-AgENdGVzdC5weXBpLm9yZwIk‹url150›",
    ),
    ("rubygems", "GEM_HOST_API_KEY", "rubygems_‹hex48›"),
    ("crates-io", "CARGO_REGISTRY_TOKEN", "cio‹an32›"),
    ("nuget", "NUGET_KEY", "oy2‹low43›"),
    ("clojars", "CLOJARS", "CLOJARS_‹hex60›"),
    ("packagist", "PACKAGIST", "packagist_out_‹hex68›"),
    ("jfrog-api-key", "ARTIFACTORY", "AKCp‹an69›"),
    ("jfrog-reference", "ARTIFACTORY", "cmVmd‹an59›"),
    ("sonar-user", "SONAR_TOKEN", "squ_‹hex40›"),
    ("sonar-project", "SONAR_TOKEN", "sqp_‹hex40›"),
    ("circleci", "CIRCLE_TOKEN", "CCIPAT_‹an22›_‹hex40›"),
    ("buildkite", "BUILDKITE", "bkua_‹hex40›"),
    ("octopus", "OCTOPUS", "API-‹up26›"),
    ("prefect", "PREFECT", "pnu_‹an36›"),
    ("openai-legacy", "OPENAI_API_KEY", "sk-‹an20›T3BlbkFJ‹an20›"),
    (
        "openai-project",
        "OPENAI_API_KEY",
        "sk-proj-‹url74›T3BlbkFJ‹url74›",
    ),
    (
        "openai-service",
        "OPENAI_API_KEY",
        "sk-svcacct-‹url74›T3BlbkFJ‹url74›",
    ),
    ("anthropic", "ANTHROPIC_API_KEY", "sk-ant-api03-‹url93›AA"),
    (
        "anthropic-admin",
        "ANTHROPIC_ADMIN",
        "sk-ant-admin01-‹url93›AA",
    ),
    (
        "anthropic-oauth",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "sk-ant-oat01-‹url93›AA",
    ),
    ("openrouter", "OPENROUTER", "sk-or-v1-‹hex64›"),
    ("deepseek", "DEEPSEEK_API_KEY", "sk-‹hex32›"),
    ("huggingface", "HF_TOKEN", "hf_‹an34›"),
    ("replicate", "REPLICATE", "r8_‹an37›"),
    ("groq", "GROQ", "gsk_‹an52›"),
    ("xai", "XAI", "xai-‹an80›"),
    ("perplexity", "PPLX", "pplx-‹an48›"),
    ("nvidia", "NGC", "nvapi-‹url64›"),
    ("langsmith", "LANGSMITH", "lsv2_pt_‹hex32›_‹hex10›"),
    ("slack-bot", "SLACK_BOT", "xoxb-‹num12›-‹num13›-‹an24›"),
    (
        "slack-user",
        "SLACK_USER",
        "xoxp-‹num12›-‹num12›-‹num13›-‹hex32›",
    ),
    ("slack-app", "SLACK_APP", "xapp-1-A0‹up9›-‹num13›-‹hex64›"),
    ("slack-config", "SLACK_CFG", "xoxe-1-‹an147›"),
    ("discord-bot", "DISCORD", "MTA‹an23›.G‹url5›.‹url38›"),
    ("telegram", "TG", "‹num10›:AA‹url33›"),
    ("twilio-key", "TWILIO", "SK‹hex32›"),
    ("sendgrid", "SENDGRID", "SG.‹url22›.‹url43›"),
    ("mailchimp", "MAILCHIMP", "‹hex32›-us21"),
    ("brevo", "BREVO", "xkeysib-‹hex64›-‹an16›"),
    ("resend", "RESEND", "re_‹an8›_‹an24›"),
    ("facebook", "FB", "EAACEdEose0cBA‹an140›"),
    ("stripe-live", "STRIPE", "sk_live_‹an24›"),
    ("stripe-live-long", "STRIPE", "sk_live_51‹an97›"),
    ("stripe-restricted", "STRIPE", "rk_live_‹an24›"),
    ("stripe-test", "STRIPE", "sk_test_‹an24›"),
    ("stripe-webhook", "STRIPE_WH", "whsec_‹an32›"),
    ("shopify", "SHOPIFY", "shpat_‹hex32›"),
    ("shopify-shared", "SHOPIFY", "shpss_‹hex32›"),
    ("square", "SQUARE", "sq0atp-‹url22›"),
    ("square-secret", "SQUARE", "sq0csp-‹url43›"),
    ("square-access", "SQUARE", "EAAAE‹url59›"),
    (
        "braintree",
        "BRAINTREE",
        "access_token$production$‹low16›$‹hex32›",
    ),
    ("plaid", "PLAID", "access-production-‹uuid›"),
    ("flutterwave", "FLW", "FLWSECK-‹hex32›-X"),
    ("shippo", "SHIPPO", "shippo_live_‹hex40›"),
    ("easypost", "EASYPOST", "EZAK‹an54›"),
    ("bitcoin-xprv", "WALLET", "xprv‹b58107›"),
    ("sentry-user", "SENTRY_AUTH", "sntryu_‹hex64›"),
    (
        "sentry-org",
        "SENTRY_AUTH",
        "sntrys_‹b64:{\"iat\":1687336543.633622,\"url\":null,\"region_url\":\"https://us.sentry.io\",\"org\":\"‹word›\"}›_‹b6443›",
    ),
    ("new-relic-user", "NR", "NRAK-‹up27›"),
    ("new-relic-license", "NR", "‹hex36›NRAL"),
    ("grafana-service", "GRAFANA", "glsa_‹an32›_‹hex8›"),
    (
        "grafana-cloud",
        "GRAFANA",
        "glc_‹b64:{\"o\":\"‹num6›\",\"n\":\"‹word›-rw\",\"k\":\"‹an24›\",\"m\":{\"r\":\"us\"}}›",
    ),
    ("dynatrace", "DT", "dt0c01.‹b3224›.‹b3264›"),
    ("posthog", "POSTHOG", "phx_‹an43›"),
    ("linear", "LINEAR", "lin_api_‹an40›"),
    ("notion", "NOTION", "ntn_‹num11›‹an35›"),
    ("figma", "FIGMA", "figd_‹url40›"),
    ("asana", "ASANA", "2/‹num16›/‹num16›:‹hex32›"),
    ("clickup", "CLICKUP", "pk_‹num8›_‹up32›"),
    ("hubspot", "HUBSPOT", "pat-na1-‹uuid›"),
    ("postman", "POSTMAN", "PMAK-‹hex24›-‹hex34›"),
    ("dropbox", "DROPBOX", "sl.u.‹url140›"),
    ("contentful", "CONTENTFUL", "CFPAT-‹url43›"),
    (
        "mapbox",
        "MAPBOX",
        "sk.‹b64url:{\"u\":\"‹word›\",\"a\":\"cl‹low23›\"}›.‹url22›",
    ),
    ("typeform", "TYPEFORM", "tfp_‹url44›_‹url14›"),
    ("readme", "README_KEY", "rdme_‹low70›"),
    ("maxmind", "MAXMIND", "‹an6›_‹an29›_mmk"),
    ("sourcegraph", "SRC_ACCESS_TOKEN", "sgp_‹hex16›_‹hex40›"),
    ("tavily", "TAVILY", "tvly-‹an32›"),
    (
        "jwt",
        "SESSION",
        "‹b64url:{\"alg\":\"HS256\",\"typ\":\"JWT\"}›.‹b64url:{\"sub\":\"‹num9›\",\"email\":\"‹word›@corp.io\",\"iat\":1716239022}›.‹url43›",
    ),
    (
        "jwt-rs256",
        "ID",
        "‹b64url:{\"kid\":\"‹url20›\",\"alg\":\"RS256\"}›.‹b64url:{\"iss\":\"https://login.corp.io\",\"sub\":\"‹uuid›\",\"exp\":1816239022}›.‹url342›",
    ),
    (
        "supabase-service",
        "SUPABASE",
        "‹b64url:{\"alg\":\"HS256\",\"typ\":\"JWT\"}›.‹b64url:{\"iss\":\"supabase\",\"ref\":\"‹abc20›\",\"role\":\"service_role\",\"iat\":1616239022,\"exp\":1931815022}›.‹url43›",
    ),
    (
        "slack-webhook",
        "HOOK",
        "https://hooks.slack.com/services/T0‹up9›/B0‹up9›/‹an24›",
    ),
    (
        "discord-webhook",
        "HOOK",
        "https://discord.com/api/webhooks/‹num19›/‹url68›",
    ),
    (
        "teams-webhook",
        "HOOK",
        "https://corp.webhook.office.com/webhookb2/‹uuid›@‹uuid›/IncomingWebhook/‹hex32›/‹uuid›",
    ),
    (
        "teams-workflow",
        "HOOK",
        "https://prod-12.westeurope.logic.azure.com:443/workflows/‹hex32›/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=‹url43›",
    ),
    (
        "google-chat-webhook",
        "HOOK",
        "https://chat.googleapis.com/v1/spaces/AAAA‹url7›/messages?key=AIzaSy‹url33›&token=‹url43›",
    ),
    (
        "lark-webhook",
        "HOOK",
        "https://open.feishu.cn/open-apis/bot/v2/hook/‹uuid›",
    ),
    (
        "dingtalk-webhook",
        "HOOK",
        "https://oapi.dingtalk.com/robot/send?access_token=‹hex64›",
    ),
    (
        "wecom-webhook",
        "HOOK",
        "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=‹uuid›",
    ),
    (
        "zapier-webhook",
        "HOOK",
        "https://hooks.zapier.com/hooks/catch/‹num7›/‹low7›/",
    ),
    (
        "ifttt-webhook",
        "HOOK",
        "https://maker.ifttt.com/trigger/deploy_done/with/key/‹url43›",
    ),
    ("make-webhook", "HOOK", "https://hook.eu1.make.com/‹low32›"),
    (
        "mattermost-webhook",
        "HOOK",
        "https://chat.corp.io/hooks/‹low26›",
    ),
    (
        "aws-presigned",
        "LINK",
        "https://corp-data.s3.eu-west-1.amazonaws.com/report.csv?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA‹b3216›%2F20260101%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Date=20260101T000000Z&X-Amz-Expires=604800&X-Amz-SignedHeaders=host&X-Amz-Signature=‹hex64›",
    ),
    (
        "gcs-signed",
        "LINK",
        "https://storage.googleapis.com/corp-data/report.csv?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=svc%40corp.iam.gserviceaccount.com%2F20260101%2Fauto%2Fstorage%2Fgoog4_request&X-Goog-Date=20260101T000000Z&X-Goog-Expires=3600&X-Goog-SignedHeaders=host&X-Goog-Signature=‹hex512›",
    ),
    (
        "azure-sas",
        "LINK",
        "https://corpdata.blob.core.windows.net/backup/db.bak?sv=2022-11-02&st=2026-01-01T00%3A00%3A00Z&se=2027-01-01T00%3A00%3A00Z&sr=c&sp=racwdl&sig=‹an41›%3D",
    ),
    (
        "cloudfront-signed",
        "LINK",
        "https://d111111abcdef8.cloudfront.net/video.mp4?Expires=1893456000&Signature=‹url342›__&Key-Pair-Id=K2JCJMDEHXQW5F",
    ),
    (
        "s3-v2-signed",
        "LINK",
        "https://corp.s3.amazonaws.com/a.zip?AWSAccessKeyId=AKIA‹b3216›&Expires=1893456000&Signature=‹an26›%3D",
    ),
    (
        "postgres-url",
        "DATABASE_URL",
        "postgres://app:‹pw›@db.corp.io:5432/prod",
    ),
    (
        "mysql-url",
        "DATABASE_URL",
        "mysql://root:‹pw›@10.0.3.7/shop",
    ),
    (
        "mongo-url",
        "MONGO_URL",
        "mongodb+srv://svc-app:‹pw›@cluster0.‹low5›.mongodb.net/main?retryWrites=true",
    ),
    (
        "redis-url",
        "REDIS_URL",
        "redis://:‹pw›@cache.corp.io:6379/0",
    ),
    (
        "amqp-url",
        "BROKER_URL",
        "amqps://worker:‹pw›@mq.corp.io/vhost",
    ),
    (
        "git-url",
        "ORIGIN",
        "https:‹lit://›deploy:‹pw›@git.corp.io/team/app.git",
    ),
    (
        "git-token-url",
        "ORIGIN",
        "https:‹lit://›oauth2:‹an26›@git.corp.io/team/app.git",
    ),
    ("ftp-url", "FTP", "ftp://uploader:‹pw›@files.corp.io/in"),
    (
        "smtp-url",
        "MAIL_URL",
        "smtps://mailer%40corp.io:‹pw›@smtp.corp.io:465",
    ),
    ("ldap-url", "LDAP", "ldaps://cn=svc:‹pw›@ldap.corp.io"),
    (
        "clickhouse-url",
        "CH",
        "clickhouse://default:‹pw›@ch.corp.io:9440/logs",
    ),
    ("nats-url", "NATS", "nats://app:‹pw›@nats.corp.io:4222"),
    (
        "sqlserver-url",
        "DB",
        "sqlserver://sa:‹pw›@sql.corp.io:1433?database=erp",
    ),
    (
        "percent-url",
        "DB",
        "postgresql+psycopg2://svc:‹an8›%40‹an6›%23@db.corp.io/prod",
    ),
    (
        "proxy-url",
        "HTTPS_PROXY",
        "http://corp\\jdoe:‹pw›@proxy.corp.io:3128",
    ),
    (
        "ado-net",
        "CONNECTION",
        "Server=tcp:sql.corp.io,1433;Initial Catalog=erp;User ID=app;Password=‹pw›;Encrypt=True;",
    ),
    (
        "ado-pwd",
        "CONNECTION",
        "Data Source=sql01;Initial Catalog=erp;Uid=app;Pwd=‹pw›",
    ),
    (
        "odbc",
        "CONNECTION",
        "Driver={ODBC Driver 18 for SQL Server};Server=sql01;UID=app;PWD=‹pw›;",
    ),
    (
        "jdbc-query",
        "JDBC_URL",
        "jdbc:postgresql://db.corp.io/prod?user=app&password=‹pw›&ssl=true",
    ),
    (
        "jdbc-mysql",
        "JDBC_URL",
        "jdbc:mysql://db:3306/shop?user=app&password=‹pw›",
    ),
    (
        "jdbc-sqlserver",
        "JDBC_URL",
        "jdbc:sqlserver://sql01:1433;databaseName=erp;user=app;password=‹pw›;",
    ),
    (
        "libpq",
        "DSN",
        "host=db.corp.io port=5432 dbname=prod user=app password=‹pw› sslmode=require",
    ),
    (
        "azure-storage",
        "AZURE_STORAGE",
        "DefaultEndpointsProtocol=https;AccountName=corpdata;AccountKey=‹b6486›==;EndpointSuffix=core.windows.net",
    ),
    (
        "service-bus",
        "SB",
        "Endpoint=sb://corp.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=‹b6443›=",
    ),
    (
        "event-hub",
        "EH",
        "Endpoint=sb://corp-eh.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=‹b6443›=;EntityPath=logs",
    ),
    (
        "cosmos",
        "COSMOS",
        "AccountEndpoint=https://corp.documents.azure.com:443/;AccountKey=‹b6486›==;",
    ),
    (
        "iot-hub",
        "IOT",
        "HostName=corp.azure-devices.net;SharedAccessKeyName=iothubowner;SharedAccessKey=‹b6443›=",
    ),
    (
        "redis-stackexchange",
        "REDIS",
        "corp.redis.cache.windows.net:6380,password=‹b6443›=,ssl=True,abortConnect=False",
    ),
    (
        "kafka-jaas",
        "JAAS",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username='svc' password='‹pw›';",
    ),
];

/// Values that only a name gives away, and such names.
const NAMED: &[(&str, &str, &str)] = &[
    ("aws-secret", "AWS_SECRET_ACCESS_KEY", "‹b6440›"),
    ("aws-secret-camel", "awsSecretAccessKey", "‹b6440›"),
    ("datadog-api", "DD_API_KEY", "‹hex32›"),
    ("datadog-app", "DD_APP_KEY", "‹hex40›"),
    ("heroku", "HEROKU_API_KEY", "‹uuid›"),
    ("snyk", "SNYK_TOKEN", "‹uuid›"),
    ("cohere", "COHERE_API_KEY", "‹an40›"),
    ("mistral", "MISTRAL_API_KEY", "‹an32›"),
    ("hetzner", "HCLOUD_TOKEN", "‹an64›"),
    ("linode", "LINODE_TOKEN", "‹hex64›"),
    ("vercel", "VERCEL_TOKEN", "‹an24›"),
    ("cloudflare", "CLOUDFLARE_API_TOKEN", "‹url40›"),
    ("fastly", "FASTLY_API_TOKEN", "‹url32›"),
    ("twilio", "TWILIO_AUTH_TOKEN", "‹hex32›"),
    ("mailgun", "MAILGUN_API_KEY", "key-‹hex32›"),
    ("postmark", "POSTMARK_SERVER_TOKEN", "‹uuid›"),
    ("auth0", "AUTH0_CLIENT_SECRET", "‹url64›"),
    ("okta", "OKTA_API_TOKEN", "00‹url40›"),
    ("pagerduty", "PAGERDUTY_API_KEY", "‹url20›"),
    ("algolia", "ALGOLIA_ADMIN_API_KEY", "‹hex32›"),
    ("travis", "TRAVIS_TOKEN", "‹an22›"),
    ("zendesk", "ZENDESK_API_TOKEN", "‹an40›"),
    ("zendesk-key", "zendesk_secret_key", "‹low40›"),
    ("plaid", "PLAID_SECRET", "‹hex30›"),
    ("ethereum", "ETH_PRIVATE_KEY", "0x‹hex64›"),
    ("deployer", "DEPLOYER_PRIVATE_KEY", "‹hex64›"),
    ("bitcoin-wif", "BTC_WIF_PRIVATE_KEY", "5‹b5850›"),
    ("wireguard", "PrivateKey", "‹b6443›="),
    ("sentry-old", "SENTRY_AUTH_TOKEN", "‹hex64›"),
    ("twitter", "TWITTER_API_SECRET", "‹an50›"),
    ("spotify", "SPOTIFY_CLIENT_SECRET", "‹hex32›"),
    ("facebook", "FACEBOOK_APP_SECRET", "‹hex32›"),
    ("django", "SECRET_KEY", "‹an50›"),
    ("rails", "SECRET_KEY_BASE", "‹hex128›"),
    ("jwt-secret", "JWT_SECRET", "‹b6443›="),
    ("api-key", "API_KEY", "‹an32›"),
    ("api-key-hex", "api_key", "‹hex32›"),
    ("client-secret", "client_secret", "‹url40›"),
    ("access-token", "accessToken", "‹an40›"),
    ("encryption-key", "ENCRYPTION_KEY", "‹hex64›"),
    ("auth-token", "auth_token", "‹low36›"),
    ("password", "DB_PASSWORD", "‹pw›"),
    ("password-lower", "password", "‹pw›"),
    ("password-camel", "smtpPassword", "‹pw›"),
    ("password-short-name", "admin_pwd", "‹pw›"),
    ("dotted-password", "spring.datasource.password", "‹pw›"),
    ("webhook-secret", "WEBHOOK_SECRET", "‹an32›"),
    ("session-secret", "sessionSecret", "‹an24›"),
    ("bot-token", "bot_token", "‹url59›"),
    ("private-token", "PRIVATE_TOKEN", "‹url20›"),
];

/// Whole texts with a secret in a form of their own; the secret stands between `«` and `»`.
const FORMS: &[(&str, &str, &str)] = &[
    (
        "netrc",
        ".netrc",
        "machine api.corp.io login deploy password «‹pw›»\n",
    ),
    (
        "netrc-lines",
        "home/.netrc",
        "machine git.corp.io\n  login jdoe\n  password «‹pw›»\n\nmachine other.corp.io\n",
    ),
    (
        "netrc-default",
        "_netrc",
        "default login anonymous password «‹pw›»\n",
    ),
    (
        "netrc-heredoc",
        "setup.sh",
        "cat > ~/.netrc <<EOF\nmachine api.corp.io login ci password «‹an24›»\nEOF\n",
    ),
    (
        "netrc-printf",
        "ci.sh",
        "printf 'machine git.corp.io login ci password «‹an24›»\\n' >> ~/.netrc\n",
    ),
    (
        "npmrc-uuid",
        ".npmrc",
        "//npm.corp.io/:_authToken=«‹uuid›»\n",
    ),
    (
        "npmrc-token",
        ".npmrc",
        "//registry.corp.io/:_authToken=«‹b6448›»\n",
    ),
    (
        "npmrc-auth",
        ".npmrc",
        "_auth=«‹b64:deploy:‹an16››»\nalways-auth=true\n",
    ),
    (
        "npmrc-password",
        ".npmrc",
        "//npm.corp.io/:_password=«‹b64:‹an18››»\n",
    ),
    (
        "pypirc",
        ".pypirc",
        "[corp]\nrepository = https://py.corp.io\nusername = ci\npassword = «‹pw›»\n",
    ),
    (
        "pip-conf",
        "pip.conf",
        "[global]\nextra-index-url = https:‹lit://›«ci:‹pw›»@py.corp.io/simple\n",
    ),
    (
        "docker-config",
        ".docker/config.json",
        "{\"auths\":{\"registry.corp.io\":{\"auth\":\"«‹b64:deploy:‹an18››»\"}}}\n",
    ),
    (
        "docker-config-pretty",
        "config.json",
        "{\n  \"auths\": {\n    \"ghcr.io\": {\n      \"auth\": \"«‹b64:jdoe:‹an22››»\"\n    }\n  }\n}\n",
    ),
    (
        "maven",
        "settings.xml",
        "<servers><server><id>corp</id><username>ci</username><password>«‹pw›»</password></server></servers>\n",
    ),
    (
        "gradle",
        "gradle.properties",
        "signing.keyId=24875D73\nsigning.password=«‹pw›»\n",
    ),
    (
        "nuget",
        "NuGet.config",
        "<packageSourceCredentials><Corp><add key=\"Username\" value=\"ci\" />\n<add key=\"ClearTextPassword\" value=\"«‹pw›»\" /></Corp></packageSourceCredentials>\n",
    ),
    (
        "composer",
        "auth.json",
        "{\"http-basic\": {\"repo.corp.io\": {\"username\": \"ci\", \"password\": \"«‹pw›»\"}}}\n",
    ),
    (
        "cargo",
        ".cargo/credentials.toml",
        "[registry]\ntoken = \"«‹an35›»\"\n",
    ),
    ("gem", ".gem/credentials", "---\n:corp_api_key: «‹hex48›»\n"),
    ("htpasswd", ".htpasswd", "admin:«$apr1$‹an8›$‹an22›»\n"),
    ("htpasswd-bcrypt", ".htpasswd", "jdoe:«$2y$05$‹an53›»\n"),
    (
        "kubernetes-data",
        "secret.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app-secrets\ntype: Opaque\ndata:\n  username: YXBw\n  password: «‹b64:‹pw››»\n",
    ),
    (
        "kubernetes-data-first",
        "k8s/secret.yml",
        "apiVersion: v1\ndata:\n  API_TOKEN: «‹b64:‹an32››»\nkind: Secret\nmetadata:\n  name: app\n",
    ),
    (
        "kubernetes-string",
        "secret.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\nstringData:\n  db-password: «‹pw›»\n",
    ),
    (
        "kubernetes-json",
        "secret.json",
        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"app\"},\"data\":{\"token\":\"«‹b64:‹an30››»\"}}\n",
    ),
    (
        "kubernetes-env",
        "deploy.yaml",
        "        env:\n        - name: DB_PASSWORD\n          value: \"«‹pw›»\"\n",
    ),
    (
        "ecs-env",
        "task.json",
        "\"environment\": [{\"name\": \"STRIPE_SECRET\", \"value\": \"«‹an32›»\"}]\n",
    ),
    (
        "tfvars",
        "prod.tfvars",
        "db_password = \"«‹pw›»\"\nregion = \"eu-west-1\"\n",
    ),
    (
        "terraform-default",
        "main.tf",
        "variable \"db_password\" {\n  type = string\n  default = \"«‹pw›»\"\n}\n",
    ),
    (
        "basic-header",
        "client.py",
        "headers = {\"Authorization\": \"Basic «‹b64:svc:‹an16››»\"}\n",
    ),
    (
        "basic-curl",
        "run.sh",
        "curl -H 'Authorization: Basic «‹b64:jdoe:‹pw››»' https://api.corp.io/v1/me\n",
    ),
    (
        "basic-js",
        "api.ts",
        "req.setRequestHeader(\"Authorization\", \"Basic «‹b64:api:‹an20››»\");\n",
    ),
    (
        "basic-http",
        "req.http",
        "GET /v1/me HTTP/1.1\nHost: api.corp.io\nAuthorization: Basic «‹b64:jdoe@corp.io:‹an14››»\n",
    ),
    (
        "bearer-curl",
        "run.sh",
        "curl -s -H \"Authorization: Bearer «‹an40›»\" https://api.corp.io/v1/me\n",
    ),
    (
        "bearer-python",
        "client.py",
        "session.headers['Authorization'] = 'Bearer «‹url43›»'\n",
    ),
    (
        "token-header",
        "run.sh",
        "curl -H \"Authorization: Token «‹hex40›»\" https://paper.corp.io/api/\n",
    ),
    (
        "x-api-key",
        "run.sh",
        "curl -H \"X-Api-Key: «‹an32›»\" https://api.corp.io\n",
    ),
    (
        "private-token",
        "run.sh",
        "curl --header \"PRIVATE-TOKEN: «‹url20›»\" https://git.corp.io/api/v4/projects\n",
    ),
    (
        "curl-user",
        "run.sh",
        "curl -u jdoe:«‹pw›» https://api.corp.io\n",
    ),
    (
        "curl-user-quoted",
        "run.sh",
        "curl -sS --user \"ci:«‹pw›»\" -X POST https://jenkins.corp.io/job/x/build\n",
    ),
    (
        "wget-password",
        "run.sh",
        "wget --user=ci --password=«‹an14›» https://files.corp.io/a.tgz\n",
    ),
    (
        "mysql-flag",
        "backup.sh",
        "mysqldump -h db.corp.io -u root -p«‹an14›» shop > shop.sql\n",
    ),
    (
        "sshpass",
        "deploy.sh",
        "sshpass -p '«‹pw›»' scp app.tgz deploy@web1:\n",
    ),
    (
        "docker-login",
        "ci.sh",
        "docker login -u ci -p «‹pw›» registry.corp.io\n",
    ),
    (
        "redis-cli",
        "ops.sh",
        "redis-cli -h cache.corp.io -a «‹an20›» FLUSHALL\n",
    ),
    (
        "pgpassword",
        "ops.sh",
        "PGPASSWORD=«‹pw›» psql -h db.corp.io -U app prod\n",
    ),
    (
        "flag-token",
        "ops.sh",
        "vault-cli login --token «‹an32›» --addr https://v.corp.io\n",
    ),
    (
        "flag-password",
        "ops.sh",
        "mongodump --host db --username app --password «‹pw›» --out /b\n",
    ),
    (
        "sql-identified",
        "init.sql",
        "CREATE USER 'app'@'%' IDENTIFIED BY '«‹pw›»';\n",
    ),
    (
        "sql-password",
        "init.sql",
        "CREATE ROLE app WITH LOGIN PASSWORD '«‹pw›»';\n",
    ),
    (
        "java-property",
        "Db.java",
        "props.setProperty(\"password\", \"«‹pw›»\");\n",
    ),
    ("java-driver", "Db.java", "ds.setPassword(\"«‹pw›»\");\n"),
    (
        "go-setenv",
        "main_run.go",
        "os.Setenv(\"DB_PASSWORD\", \"«‹pw›»\")\n",
    ),
    (
        "python-env",
        "run.py",
        "os.environ[\"OPENAI_KEY\"] = \"«‹an48›»\"\n",
    ),
    (
        "python-kwarg",
        "run.py",
        "conn = connect(host=\"db\", user=\"app\", password=\"«‹pw›»\")\n",
    ),
    (
        "rust-field",
        "conf.rs",
        "    password: \"«‹pw›»\".to_string(),\n",
    ),
    ("rust-let", "conf.rs", "let api_key: &str = \"«‹an32›»\";\n"),
    (
        "rust-from",
        "conf.rs",
        "let token = String::from(\"«‹an32›»\");\n",
    ),
    (
        "ts-typed",
        "conf.ts",
        "private readonly apiKey: string = '«‹an32›»';\n",
    ),
    (
        "csharp",
        "Conf.cs",
        "public const string ClientSecret = \"«‹url40›»\";\n",
    ),
    ("php-array", "config.php", "'password' => '«‹pw›»',\n"),
    (
        "php-define",
        "wp-config.php",
        "define('DB_PASSWORD', '«‹pw›»');\n",
    ),
    ("perl", "app.pl", "my $password = '«‹pw›»';\n"),
    ("kotlin", "App.kt", "val apiSecret = \"«‹an32›»\"\n"),
    ("swift", "App.swift", "let clientSecret = \"«‹an32›»\"\n"),
    (
        "elixir",
        "prod.exs",
        "config :app, App.Repo, password: \"«‹pw›»\"\n",
    ),
    (
        "yaml-compose",
        "docker-compose.yml",
        "    environment:\n      POSTGRES_PASSWORD: «‹pw›»\n",
    ),
    (
        "yaml-compose-list",
        "docker-compose.yml",
        "    environment:\n      - MYSQL_ROOT_PASSWORD=«‹pw›»\n",
    ),
    (
        "actions-env",
        ".github/workflows/ci.yml",
        "    env:\n      DEPLOY_TOKEN: «‹an40›»\n",
    ),
    (
        "dockerfile-env",
        "Dockerfile",
        "FROM alpine\nENV DB_PASSWORD=«‹pw›»\n",
    ),
    (
        "dockerfile-env-old",
        "Dockerfile",
        "FROM alpine\nENV API_SECRET «‹an32›»\n",
    ),
    (
        "json-escaped",
        "payload.json",
        "{\"body\": \"{\\\"client_secret\\\":\\\"«‹url40›»\\\"}\"}\n",
    ),
    (
        "json-log",
        "log.json",
        "{\"level\":\"debug\",\"apiKey\":\"«‹an32›»\",\"user\":\"jdoe\"}\n",
    ),
    ("ini", "app.ini", "[db]\nuser = app\npasswd = «‹pw›»\n"),
    (
        "properties",
        "application.properties",
        "spring.datasource.password=«‹pw›»\n",
    ),
    (
        "toml",
        "config.toml",
        "[auth]\nclient_secret = \"«‹url40›»\"\n",
    ),
    (
        "plist",
        "Info.plist",
        "<key>API_SECRET</key>\n<string>«‹an32›»</string>\n",
    ),
    (
        "android",
        "strings_conf.xml",
        "<string name=\"api_secret\">«‹an32›»</string>\n",
    ),
    (
        "query-token",
        "notes.md",
        "https://api.corp.io/v1/export?access_token=«‹an40›»&format=csv\n",
    ),
    (
        "wireguard",
        "wg0.conf",
        "[Interface]\nAddress = 10.0.0.2/32\nPrivateKey = «‹b6443›=»\n",
    ),
    (
        "pem",
        "id_rsa",
        "«-----BE‹lit:GIN› ‹lit:RSA PRIVATE› KEY-----\n‹b6464›\n‹b6464›\n‹b6464›\n‹b6440›==\n-----END RSA PRIVATE KEY-----»\n",
    ),
    (
        "pem-pkcs8",
        "key.pem",
        "«-----BE‹lit:GIN› ‹lit:PRIVATE› KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj‹b6424›\n‹b6464›\n-----END PRIVATE KEY-----»\n",
    ),
    (
        "pem-encrypted",
        "key.pem",
        "«-----BE‹lit:GIN› RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,‹HEX32›\n\n‹b6464›\n‹b6464›\n-----END RSA PRIVATE KEY-----»\n",
    ),
    (
        "pem-pkcs8-encrypted",
        "key.pem",
        "«-----BE‹lit:GIN› ENCRYPTED PRIVATE KEY-----\n‹b6464›\n‹b6464›\n-----END ENCRYPTED PRIVATE KEY-----»\n",
    ),
    (
        "pem-ec",
        "ec.pem",
        "«-----BE‹lit:GIN› EC PRIVATE KEY-----\n‹b6464›\n‹b6464›\n‹b6432›==\n-----END EC PRIVATE KEY-----»\n",
    ),
    (
        "pem-dsa",
        "dsa.pem",
        "«-----BE‹lit:GIN› DSA PRIVATE KEY-----\n‹b6464›\n‹b6464›\n-----END DSA PRIVATE KEY-----»\n",
    ),
    (
        "openssh",
        "id_ed25519",
        "«-----BE‹lit:GIN› OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n‹b6470›\n‹b6470›\n-----END OPENSSH PRIVATE KEY-----»\n",
    ),
    (
        "pgp",
        "key.asc",
        "«-----BE‹lit:GIN› PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\nlQOYBF‹b6458›\n‹b6464›\n=‹b644›\n-----END PGP PRIVATE KEY BLOCK-----»\n",
    ),
    (
        "ssh2",
        "key.ssh2",
        "«---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"rsa-key\"\n‹b6464›\n‹b6464›\n---- END SSH2 ENCRYPTED PRIVATE KEY ----»\n",
    ),
    (
        "putty",
        "key.ppk",
        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: rsa-key\nPublic-Lines: 1\nAAAAB3NzaC1yc2EAAAABJQAAAQEA‹b6436›\n«Private-Lines: 2\n‹b6464›\n‹b6464›»\nPrivate-MAC: ‹hex40›\n",
    ),
    (
        "pem-one-line",
        ".env",
        "KEY=\"«-----BE‹lit:GIN› PRIVATE KEY-----\\n‹b6464›\\n‹b6464›\\n-----END PRIVATE KEY-----»\\n\"\n",
    ),
    (
        "gcp-service-account",
        "sa.json",
        "{\"type\": \"service_account\", \"private_key_id\": \"‹hex40›\", \"private_key\": \"«-----BE‹lit:GIN› PRIVATE KEY-----\\n‹b6464›\\n‹b6464›\\n-----END PRIVATE KEY-----»\\n\", \"client_email\": \"svc@corp.iam.gserviceaccount.com\"}\n",
    ),
    (
        "pem-cut",
        "notes.md",
        "the key starts with\n«-----BE‹lit:GIN› ‹lit:RSA PRIVATE› KEY-----\n‹b6464›»\n",
    ),
    (
        "pem-concatenated",
        "Key.java",
        "String k = \"«-----BE‹lit:GIN› RSA PRIVATE KEY-----\\n\" +\n    \"‹b6464›\\n\" +\n    \"‹b6464›»\\n\";\n",
    ),
    (
        "pem-yaml",
        "values.yaml",
        "tls:\n  key: |\n    «-----BE‹lit:GIN› EC PRIVATE KEY-----\n    ‹b6464›\n    ‹b6464›\n    -----END EC PRIVATE KEY-----»\n",
    ),
    (
        "pem-base64",
        "ci.yml",
        "SSH_KEY: «‹b64:-----BE‹lit:GIN› OPENSSH PRIVATE KEY-----\n‹b6470›\n‹b6470›\n-----END OPENSSH PRIVATE KEY-----\n›»\n",
    ),
    (
        "jwk-ec",
        "jwk.json",
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"‹url43›\",\"y\":\"‹url43›\",\"d\":\"«‹url43›»\"}\n",
    ),
    (
        "jwk-rsa",
        "jwk.json",
        "{\n  \"kty\": \"RSA\",\n  \"n\": \"‹url342›\",\n  \"e\": \"AQAB\",\n  \"d\": \"«‹url342›»\"\n}\n",
    ),
    (
        "rsa-xml",
        "key.xml",
        "<RSAKeyValue><Modulus>‹b64171›=</Modulus><Exponent>AQAB</Exponent><D>«‹b64171›»=</D></RSAKeyValue>\n",
    ),
    (
        "sops-age",
        "keys.txt",
        "# created: 2026-01-01\n# public key: age1‹low58›\n«AGE-SECRET-KEY-1‹bech58›»\n",
    ),
    (
        "echo-to-file",
        "do.sh",
        "echo \"«ghp_‹an36›»\" > f && echo ok\n",
    ),
    (
        "grep-for-token",
        "do.sh",
        "grep -r \"«sk_live_‹an24›»\" src/ || echo none\n",
    ),
    (
        "url-in-yaml",
        "values.yaml",
        "  databaseUrl: \"postgresql://app:«‹pw›»@db:5432/app\"\n",
    ),
    (
        "url-in-docs",
        "README.md",
        "Connect with `psql postgres://svc:«‹pw›»@db.example.com/prod`.\n",
    ),
    (
        "git-remote",
        ".git-credentials",
        "https:‹lit://›jdoe:«‹an20›»@git.corp.io\n",
    ),
    (
        "git-config",
        ".git/config",
        "[remote \"origin\"]\n\turl = https:‹lit://›ci:«‹an22›»@git.corp.io/app.git\n",
    ),
    ("zip-flag", "pack.sh", "export ZIP_PASSWORD='«‹pw›»'\n"),
    (
        "systemd",
        "app.service",
        "[Service]\nEnvironment=\"API_TOKEN=«‹an40›»\"\n",
    ),
    ("makefile", "Makefile", "API_KEY ?= «‹an32›»\n"),
    ("fish", "config.fish", "set -gx API_TOKEN «‹an40›»\n"),
    ("powershell", "run.ps1", "$env:API_TOKEN = \"«‹an40›»\"\n"),
    (
        "powershell-secure",
        "run.ps1",
        "$p = ConvertTo-SecureString -String \"x\"; $Password = \"«‹pw›»\"\n",
    ),
    ("batch", "run.bat", "set DB_PASSWORD=«‹pw›»\n"),
    (
        "groovy",
        "Jenkinsfile",
        "environment { NEXUS_PASSWORD = '«‹pw›»' }\n",
    ),
    (
        "ansible",
        "group_vars/all.yml",
        "mysql_root_password: \"«‹pw›»\"\n",
    ),
    ("redis-conf", "redis.conf", "requirepass «‹an24›»\n"),
    ("patch-line", "fix.patch", "+DB_PASSWORD=«‹pw›»\n"),
    (
        "helm-set",
        "deploy.sh",
        "helm upgrade app ./chart --set db.password=«‹an18›»\n",
    ),
    (
        "docker-run",
        "run.sh",
        "docker run -e POSTGRES_PASSWORD=«‹pw›» -d postgres:16\n",
    ),
    ("comparison", "auth.py", "if token == \"«‹an32›»\":\n"),
    (
        "fallback",
        "conf.js",
        "const secret = process.env.JWT_SECRET || \"«‹an32›»\";\n",
    ),
    (
        "fallback-python",
        "conf.py",
        "SECRET_KEY = os.environ.get(\"SECRET_KEY\", \"«‹an50›»\")\n",
    ),
];

const CONTEXTS: &[(&str, &str)] = &[
    ("app.py", "NAME = \"@\"\n"),
    ("app.js", "const name = '@';\n"),
    ("main.go", "\tname := \"@\"\n"),
    ("App.java", "private static final String NAME = \"@\";\n"),
    ("app.rb", "NAME = '@'\n"),
    ("lib.rs", "const NAME: &str = \"@\";\n"),
    ("a.php", "$name = '@';\n"),
    (".env", "NAME=@\n"),
    (".env.production", "export NAME=\"@\"\n"),
    ("values.yaml", "name: @\n"),
    ("values.yml", "  name: \"@\"\n"),
    ("config.json", "{\"name\": \"@\"}\n"),
    ("docker-compose.yml", "      - NAME=@\n"),
    (".gitlab-ci.yml", "variables:\n  NAME: \"@\"\n"),
    ("Dockerfile", "ENV NAME=@\n"),
    ("main.tf", "  name = \"@\"\n"),
    ("README.md", "Set `NAME` to `@` before the start.\n"),
    ("run.sh", "NAME=@ ./run\n"),
    ("app.properties", "name=@\n"),
    ("b.json", "{\"a\":\"{\\\"name\\\":\\\"@\\\"}\"}\n"),
];

/// Contexts in which nothing but the token tells.
const BARE: &[(&str, &str)] = &[
    ("notes.md", "It was @ until May.\n"),
    ("do.sh", "echo \"@\" > f && echo ok\n"),
    ("a.csv", "1,jdoe,@,x\n"),
    ("t.py", "client = Client(\"@\")\n"),
    ("log.txt", "2026-01-01 12:00:01 DEBUG sent '@' upstream\n"),
    ("e.txt", "line one\\n@\\nline two"),
];

/// Texts with a secret, `rounds` of each form.
pub(super) fn positives(seed: &mut Seed, rounds: usize) -> Vec<Sample> {
    let mut out = Vec::new();
    for round in 0..rounds {
        for (i, (label, name, form)) in TOKENS.iter().enumerate() {
            let value = seed.fill(form);
            let (path, context) = if (i + round) % 4 == 0 {
                BARE[(i / 4 + round) % BARE.len()]
            } else {
                CONTEXTS[(i * 7 + round) % CONTEXTS.len()]
            };
            // A blank or quote in the value needs a context that quotes it.
            let (path, context) =
                if value.contains(' ') || value.contains(';') || value.contains(',') {
                    CONTEXTS[0]
                } else {
                    (path, context)
                };
            out.push(sample(label, path, context, name, &value));
        }
        for (i, (label, name, form)) in NAMED.iter().enumerate() {
            let value = loop {
                let value = seed.fill(form);
                if value.bytes().any(|b| b.is_ascii_digit())
                    && value.bytes().any(|b| b.is_ascii_alphabetic())
                {
                    break value;
                }
            };
            // Prose that names a variable is no assignment.
            let (path, context) = CONTEXTS[(i * 3 + round) % CONTEXTS.len()];
            let (path, context) = if path == "README.md" {
                CONTEXTS[7]
            } else {
                (path, context)
            };
            out.push(sample(label, path, context, name, &value));
        }
        for (label, path, form) in FORMS {
            let filled = seed.fill(form);
            let (from, to) = (filled.find('«').unwrap(), filled.find('»').unwrap());
            out.push(Sample {
                secret: Some(label),
                sort: "form",
                path,
                value: filled[from + '«'.len_utf8()..to].to_owned(),
                text: filled.replace(['«', '»'], ""),
            });
        }
    }
    out
}

fn sample(
    label: &'static str,
    path: &'static str,
    context: &str,
    name: &str,
    value: &str,
) -> Sample {
    let text = if context.contains("NAME") {
        context.replace("NAME", name)
    } else {
        let name = if name.bytes().all(|b| !b.is_ascii_lowercase()) {
            name.to_lowercase()
        } else {
            name.to_owned()
        };
        context.replace("name", &name)
    };
    Sample {
        secret: Some(label),
        sort: "token",
        path,
        text: text
            .replace('@', "\u{1}")
            .replacen('\u{1}', value, 1)
            .replace('\u{1}', "@"),
        value: value.to_owned(),
    }
}

/// Clean texts: a sort, a file and a form.
const CLEAN: &[(&str, &str, &str)] = &[
    ("hash", "a.py", "sha256 = \"‹hex64›\"\n"),
    (
        "hash",
        "a.json",
        "{\"commit\": \"‹hex40›\", \"tree\": \"‹hex40›\"}\n",
    ),
    ("hash", "a.yaml", "checksum: ‹hex64›\n"),
    (
        "hash",
        "a.sql",
        "INSERT INTO users VALUES (1, 'jdoe', '$2b$12$‹an53›');\n",
    ),
    ("hash", "a.rb", "password_hash: \"$2a$10$‹an53›\"\n"),
    ("hash", "a.py", "password_sha256 = \"‹hex64›\"\n"),
    (
        "hash",
        "a.txt",
        "‹hex32›  file-1.2.tar.gz\n‹hex64› *b.bin\n",
    ),
    ("hash", "Dockerfile", "FROM node@sha256:‹hex64›\n"),
    ("hash", "a.go", "etag := \"‹hex32›\"\n"),
    ("hash", "cache.js", "const cacheKey = \"‹hex32›\";\n"),
    ("hash", "a.py", "token_hash = '‹hex64›'\n"),
    ("hash", "a.md", "Fixed in ‹hex40› and ‹hex8›.\n"),
    ("hash", "ci.yml", "      - uses: actions/checkout@‹hex40›\n"),
    (
        "uuid",
        "a.json",
        "{\"id\": \"‹uuid›\", \"userId\": \"‹uuid›\"}\n",
    ),
    ("uuid", "a.yaml", "tenant: ‹uuid›\nclient_id: ‹uuid›\n"),
    ("uuid", "a.py", "request_id = \"‹uuid›\"\n"),
    ("uuid", "a.tf", "subscription_id = \"‹uuid›\"\n"),
    ("uuid", "a.js", "const sessionId = '‹uuid›';\n"),
    ("uuid", "a.cs", "[Guid(\"‹uuid›\")]\n"),
    (
        "lock",
        "package-lock.json",
        "\"integrity\": \"sha512-‹b6486›==\",\n\"resolved\": \"https://npm.corp.io/a/-/a-1.2.3.tgz\"\n",
    ),
    (
        "lock",
        "Cargo.lock",
        "name = \"token\"\nchecksum = \"‹hex64›\"\n",
    ),
    ("lock", "go.sum", "golang.org/x/crypto v0.1.0 h1:‹b6443›=\n"),
    ("lock", "yarn.lock", "integrity sha1-‹b6427›=\n"),
    (
        "lock",
        "poetry.lock",
        "    {file = \"a.whl\", hash = \"sha256:‹hex64›\"},\n",
    ),
    (
        "lock",
        "pnpm-lock.yaml",
        "resolution: {integrity: sha512-‹b6486›==}\n",
    ),
    (
        "lock",
        "requirements.txt",
        "secretstorage==3.3.3 --hash=sha256:‹hex64›\n",
    ),
    (
        "example",
        ".env.example",
        "STRIPE_KEY=changeme\nAPI_TOKEN=\nDB_PASSWORD=your-password-here\n",
    ),
    (
        "example",
        ".env.sample",
        "OPENAI_API_KEY=sk-...\nSECRET_KEY=xxxxxxxxxxxxxxxxxxxxxxxx\n",
    ),
    (
        "example",
        "README.md",
        "export GITHUB_TOKEN=ghp_‹lit:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx›\n",
    ),
    (
        "example",
        "README.md",
        "curl -H \"Authorization: Bearer YOUR_ACCESS_TOKEN_123\" https://api.corp.io\n",
    ),
    (
        "example",
        "README.md",
        "curl -u username:password https://api.corp.io\n",
    ),
    (
        "example",
        "README.md",
        "`postgres:‹lit://›user:password@localhost:5432/db`\n",
    ),
    (
        "example",
        "README.md",
        "`https:‹lit://›user:pass@host/path` and `redis://:password@cache:6379`\n",
    ),
    (
        "example",
        "README.md",
        "mongodb://<user>:<password>@cluster0.corp.io/db\n",
    ),
    (
        "example",
        "docs.md",
        "Server=myServer;Database=myDb;User Id=myUser;Password=myPassword;\n",
    ),
    (
        "example",
        "docs.md",
        "AccountKey=<your-account-key>;SharedAccessKey={key}\n",
    ),
    (
        "example",
        "docs.md",
        "machine host login user password secret\n",
    ),
    (
        "example",
        "a.py",
        "api_key = \"your-api-key-goes-here-1234\"\n",
    ),
    (
        "example",
        "a.py",
        "api_key = \"abcdef1234567890abcdef1234567890\"\n",
    ),
    (
        "example",
        "a.py",
        "token = \"1234567890abcdef1234567890abcdef\"\n",
    ),
    (
        "example",
        "a.js",
        "const apiKey = 'ak_example_1234567890abcdef';\n",
    ),
    (
        "example",
        "a.py",
        "AWS_KEY = \"AKIA‹lit:IOSFODNN7›EXAMPLE\"\n",
    ),
    (
        "example",
        "a.md",
        "aws_secret_access_key = wJalrXUtn‹lit:FEMI/K7MDENG/›bPxRfiCYEXAMPLEKEY\n",
    ),
    (
        "example",
        "a.sh",
        "export TOKEN=<token>\nexport KEY=${KEY:?missing}\n",
    ),
    (
        "example",
        "a.md",
        "`Authorization: Basic <base64 of user:password>`\n",
    ),
    (
        "example",
        "a.md",
        "Authorization: Basic ‹b64:username:password›\n",
    ),
    (
        "example",
        "a.md",
        "Authorization: Basic ‹b64:Aladdin:open sesame›\n",
    ),
    (
        "example",
        "a.md",
        "https://hooks.slack.com/services/T00000000/‹lit:B00000000/›XXXXXXXXXXXXXXXXXXXXXXXX\n",
    ),
    (
        "example",
        "a.md",
        "-----BE‹lit:GIN› PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n",
    ),
    (
        "example",
        "a.md",
        "-----BE‹lit:GIN› RSA PRIVATE KEY-----\n<your private key here>\n-----END RSA PRIVATE KEY-----\n",
    ),
    ("example", "a.tf", "password = \"REPLACE_ME_WITH_REAL_1\"\n"),
    (
        "example",
        "a.yaml",
        "password: \"********\"\napiKey: \"####-####-####\"\n",
    ),
    (
        "example",
        "a.md",
        "‹b64url:{\"alg\":\"HS256\",\"typ\":\"JWT\"}›.‹b64url:{\"sub\":\"1234567890\",\"name\":\"John Doe\",\"iat\":1516239022}›.‹url43›\n",
    ),
    (
        "lookup",
        "a.js",
        "const password = process.env.DB_PASSWORD_V2;\n",
    ),
    ("lookup", "a.py", "API_KEY = os.environ[\"API_KEY_2024\"]\n"),
    ("lookup", "a.py", "secret = os.getenv(\"APP_SECRET_V1\")\n"),
    (
        "lookup",
        "a.rb",
        "secret_key_base = ENV.fetch('SECRET_KEY_BASE_1')\n",
    ),
    (
        "lookup",
        "a.go",
        "token := os.Getenv(\"GITHUB_TOKEN_V2\")\n",
    ),
    (
        "lookup",
        "a.java",
        "String password = System.getenv(\"DB_PASSWORD_1\");\n",
    ),
    (
        "lookup",
        "a.yml",
        "password: ${DB_PASSWORD_1}\ntoken: ${{ secrets.DEPLOY_TOKEN_2 }}\n",
    ),
    ("lookup", "a.yaml", "password: {{ .Values.db.password1 }}\n"),
    (
        "lookup",
        "a.yaml",
        "password: \"{{ vault_db_password_2 }}\"\n",
    ),
    (
        "lookup",
        "a.sh",
        "export TOKEN=$(vault kv get -field=token1 secret/app2)\n",
    ),
    (
        "lookup",
        "a.sh",
        "curl -u \"$USER1:$PASS1\" -H \"Authorization: Bearer $TOKEN_V2\" https://api.corp.io\n",
    ),
    (
        "lookup",
        "a.sh",
        "psql \"postgres://$DB_USER:$DB_PASS1@$DB_HOST/app\"\n",
    ),
    (
        "lookup",
        "a.js",
        "const url = `https://${user}:${pass1}@host/db`;\n",
    ),
    (
        "lookup",
        "a.py",
        "url = f\"postgres://{user}:{password1}@{host}/db\"\n",
    ),
    (
        "lookup",
        "a.py",
        "url = \"mysql://%s:%s@%s/db\" % (u, p, h)\n",
    ),
    (
        "lookup",
        "a.tf",
        "password = var.db_password_2\ntoken = data.vault_secret.x.data[\"t1\"]\n",
    ),
    (
        "lookup",
        "a.yaml",
        "secretKeyRef:\n  name: app-secrets-v2\n  key: db-password-1\n",
    ),
    (
        "lookup",
        "a.yaml",
        "password: vault:secret/data/db2#password\napi_key: op://vault1/item2/field\n",
    ),
    (
        "lookup",
        "a.yaml",
        "secretArn: arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-Ab12Cd\n",
    ),
    (
        "lookup",
        "a.sh",
        "openssl rand -hex 32 | vault-cli put app/db -\n",
    ),
    (
        "lookup",
        "a.sh",
        "echo \"$TOKEN\" | docker login -u ci --password-stdin registry.corp.io\n",
    ),
    (
        "lookup",
        "a.sh",
        "docker login -u \"$CI_USER\" -p \"$CI_PASSWORD1\" registry.corp.io\n",
    ),
    (
        "lookup",
        "a.cs",
        "var secret = Configuration[\"Auth:ClientSecret2\"];\n",
    ),
    (
        "lookup",
        "a.py",
        "password = getpass.getpass(\"Password 2: \")\n",
    ),
    (
        "lookup",
        "a.ts",
        "apiKey: this.config.get<string>('services.stripe.apiKey2'),\n",
    ),
    (
        "lookup",
        "a.py",
        "password=settings.DATABASE_PASSWORD_2, token=self.token_v2\n",
    ),
    (
        "lookup",
        ".npmrc",
        "//npm.corp.io/:_authToken=${NPM_TOKEN_2}\n",
    ),
    (
        "lookup",
        ".netrc",
        "machine api.corp.io login ci password ${CI_PASSWORD1}\n",
    ),
    (
        "name",
        "a.js",
        "const ERR = \"err_no_secret_key\";\nconst code2 = 'invalid_api_key_2';\n",
    ),
    (
        "name",
        "a.py",
        "TOKEN_FIELD = \"access_token_v2\"\nSECRET = \"secret_manager_client_2\"\n",
    ),
    (
        "name",
        "a.go",
        "const passwordKey = \"user.password.reset2\"\n",
    ),
    (
        "name",
        "a.java",
        "String token = \"oauth2_token_endpoint\";\n",
    ),
    (
        "name",
        "a.yaml",
        "secretName: app-tls-secret-2\ntokenSecretRef: gateway-v2-token\n",
    ),
    (
        "name",
        "a.ts",
        "export const API_KEY = 'x-api-key-header-2';\n",
    ),
    ("name", "a.ts", "password: 'forgotPassword2Step',\n"),
    (
        "name",
        "a.kt",
        "val KEY_TOKEN = \"com.corp.app.KEY_TOKEN_2\"\n",
    ),
    ("name", "a.py", "password_field = \"id_password_input_2\"\n"),
    (
        "name",
        "a.css",
        ".password-input-2xl { color: #aabbcc; }\n#token-list-v2:hover{}\n",
    ),
    (
        "name",
        "a.html",
        "<input type=\"password\" name=\"password2\" id=\"password-confirm-2\" placeholder=\"Password2\">\n",
    ),
    (
        "name",
        "a.js",
        "t('auth.password.min_length_8_chars');\nsetToken('tokenTypeV2Name');\n",
    ),
    (
        "name",
        "a.sql",
        "ALTER TABLE t ADD COLUMN api_key2 varchar(255);\n",
    ),
    (
        "name",
        "a.py",
        "secret_id = \"prod/app2/database\"\nsecret_name = 'prod-app2-db-creds'\n",
    ),
    (
        "name",
        "a.json",
        "{\"token_type\": \"urn:ietf:params:oauth:token-type:id_token2\"}\n",
    ),
    (
        "name",
        "a.rs",
        "if line.contains(\"-----BE‹lit:GIN› RSA PRIVATE KEY-----\") { found = true; }\n",
    ),
    (
        "name",
        "a.py",
        "HEADER = \"-----BE‹lit:GIN› OPENSSH PRIVATE KEY-----\"\nFOOTER = \"-----END OPENSSH PRIVATE KEY-----\"\n",
    ),
    (
        "name",
        "a.go",
        "prefixes := []string{\"ghp_\", \"sk_live_\", \"AKIA\", \"xoxb-\", \"glpat-\"}\n",
    ),
    (
        "name",
        "a.js",
        "const re = /ghp_[A-Za-z0-9]{36}|AKIA[0-9A-Z]{16}/;\n",
    ),
    ("name", "a.py", "r\"sk_live_[0-9a-zA-Z]{24,99}\"\n"),
    ("fake", "a.py", "token = \"test-token-not-real-12345\"\n"),
    ("fake", "a.js", "const fakeToken = \"ghp_‹an36›\";\n"),
    ("fake", "a.py", "DUMMY_KEY = \"sk_live_‹an24›\"\n"),
    ("fake", "a.rb", "key = \"AKIA‹b3216›\" # example\n"),
    ("fake", "a.sh", "# not a real key: AKIA‹b3216›\n"),
    (
        "fake",
        "a.go",
        "const t = \"ghp_‹an36›\" // fake, for the docs\n",
    ),
    ("fake", "a.yaml", "password: dummy-‹an12›\n"),
    ("fake", "a.py", "API_KEY = \"fake_‹an24›\"\n"),
    ("fake", "a.ts", "const mockApiKey = '‹an32›';\n"),
    ("fake", "a.java", "String examplePassword = \"‹an14›7\";\n"),
    ("fake", "a.md", "Example token: `glpat-‹url20›`\n"),
    ("fake", "a.py", "secret = \"placeholder-‹an16›\"\n"),
    (
        "test",
        "a_test.go",
        "assert.Equal(t, \"test-password-1\", cfg.Password)\n",
    ),
    (
        "test",
        "test_a.py",
        "client.login(username='testuser1', password='testpass123')\n",
    ),
    (
        "test",
        "a.spec.ts",
        "expect(screen.getByLabelText('Password2')).toBeVisible();\n",
    ),
    (
        "test",
        "a.test.js",
        "const token = 'test-token-1234';\nconst secret = 'test_secret_5678';\n",
    ),
    (
        "test",
        "conftest.py",
        "DB = \"postgresql://postgres:postgres@localhost/test1\"\n",
    ),
    (
        "test",
        "docker-compose.yml",
        "POSTGRES_PASSWORD: postgres\nMYSQL_ROOT_PASSWORD: root\nREDIS_PASSWORD: password123\n",
    ),
    (
        "test",
        "a_test.py",
        "assert decode(\"‹b64:hello world number ‹num6››\") == x\n",
    ),
    (
        "minified",
        "a.min.js",
        "!function(e,t){var n=e.token,r=t.key;return n.a=r.b?\"‹abc8›\":\"‹low6›\",e.password=function(t){return t.value1.trim()},e}(a1,b2);\n",
    ),
    (
        "minified",
        "b.js",
        "var a1=b2.secret,c3=d4.token||e5.getToken(\"f6\"),g7={key:\"h8\",password:i9.password};\n",
    ),
    (
        "minified",
        "a.css",
        "@font-face{src:url(data:font/woff2;base64,‹b64400›)}\n",
    ),
    (
        "image",
        "a.html",
        "<img src=\"data:image/png;base64,iVBORw0KGgo‹b64600›\">\n",
    ),
    (
        "image",
        "a.md",
        "![x](data:image/jpeg;base64,/9j/‹b64600›)\n",
    ),
    (
        "image",
        "a.py",
        "ICON = \"\"\"\niVBORw0KGgo‹b6465›\n‹b6476›\n‹b6476›\n\"\"\"\n",
    ),
    ("image", "a.json", "{\"thumbnail\": \"‹b64300›\"}\n"),
    (
        "public",
        "a.pem",
        "-----BE‹lit:GIN› CERTIFICATE-----\n‹b6464›\n‹b6464›\n-----END CERTIFICATE-----\n",
    ),
    (
        "public",
        "a.pub",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI‹b6443› jdoe@corp\n",
    ),
    (
        "public",
        "a.pem",
        "-----BE‹lit:GIN› PUBLIC KEY-----\n‹b6464›\n‹b6464›\n-----END PUBLIC KEY-----\n",
    ),
    (
        "public",
        "a.json",
        "{\"kty\":\"RSA\",\"n\":\"‹url342›\",\"e\":\"AQAB\",\"kid\":\"‹url43›\"}\n",
    ),
    (
        "public",
        "a.js",
        "const stripe = Stripe('pk_live_‹an24›');\n",
    ),
    ("public", "a.py", "PUBLIC_KEY = \"‹b6443›=\"\n"),
    (
        "public",
        "a.yaml",
        "SENTRY_DSN: https://‹hex32›@o123456.ingest.sentry.io/4501234\n",
    ),
    ("public", "wg.conf", "[Peer]\nPublicKey = ‹b6443›=\n"),
    (
        "translation",
        "locales/de.json",
        "{\"password\": \"Passwort\", \"token\": \"Zugangstoken\", \"api_key\": \"API-Schlüssel1\"}\n",
    ),
    (
        "translation",
        "locales/en.json",
        "{\"password\": \"Password\", \"secret\": \"Enter your 2FA secret\"}\n",
    ),
    (
        "translation",
        "i18n/fr.yml",
        "password: \"Mot de passe (8 caractères min.)\"\n",
    ),
    (
        "translation",
        "lang/es.php",
        "'password' => 'La contraseña debe tener 8 caracteres',\n",
    ),
    (
        "translation",
        "a.po",
        "msgid \"password2\"\nmsgstr \"Passwort2\"\n",
    ),
    (
        "translation",
        "Localizable.strings",
        "\"password\" = \"Kennwort12345\";\n",
    ),
    (
        "translation",
        "messages.properties",
        "password.label=Passwort\npassword.min8=Mindestens8Zeichen\n",
    ),
    (
        "translation",
        "strings.xml",
        "<string name=\"password\">Passwort2bestätigen</string>\n",
    ),
    (
        "code",
        "a.ts",
        "interface Login { password: string; token?: string | undefined }\n",
    ),
    (
        "code",
        "a.py",
        "def login(user: str, password: str = None, token: Optional[str] = None): ...\n",
    ),
    (
        "code",
        "a.go",
        "func (c *Client) SetToken(token string) { c.token = token2hash(token) }\n",
    ),
    (
        "code",
        "a.rs",
        "let password = rpassword::prompt_password(\"Password1: \")?;\n",
    ),
    (
        "code",
        "a.js",
        "const token = jwt.sign({ id: user.id1 }, config.secret2, { expiresIn: '24h' });\n",
    ),
    (
        "code",
        "a.js",
        "password: Yup.string().min(8).matches(/[a-z0-9]{8,}/),\n",
    ),
    (
        "code",
        "a.py",
        "tokens = tokenizer.encode(text2, max_tokens=4096, model=\"gpt-4o-2024-08-06\")\n",
    ),
    (
        "code",
        "a.json",
        "{\"max_tokens\": 4096, \"token_limit\": 128000, \"key\": \"ArrowDown2\"}\n",
    ),
    (
        "code",
        "a.yaml",
        "image: registry.corp.io/app/token-service:v1.2.3-rc4\n",
    ),
    (
        "code",
        "a.toml",
        "version = \"0.12.3\"\ntokenizers = \"0.19.1-alpha2\"\n",
    ),
    (
        "code",
        "a.jsx",
        "<Item key=\"item-row-2024-01\" token={props.token1} />\n",
    ),
    (
        "code",
        "a.sh",
        "git clone git@github.com:corp/app2.git && ssh deploy@10.0.0.1:22\n",
    ),
    (
        "code",
        "a.md",
        "See https://medium.com/@user1/how-to-2fa-8f3a9b2c1d4e and ftp://files.corp.io/a@2x.png\n",
    ),
    (
        "code",
        "a.py",
        "password_regex = r'^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{12,}$'\n",
    ),
    (
        "code",
        "a.tf",
        "kms_key_id = \"arn:aws:kms:eu-west-1:123456789012:key/‹uuid›\"\n",
    ),
    (
        "code",
        "a.js",
        "localStorage.setItem('auth_token_v2', res.data.token1);\n",
    ),
    (
        "code",
        "a.proto",
        "string access_token = 12345678;\nbytes secret_key2 = 2;\n",
    ),
    (
        "code",
        "a.log",
        "2026-01-01T12:00:00Z token: refreshed, key: 2026-01-01T12:00:00Z-job\n",
    ),
    (
        "code",
        "a.graphql",
        "mutation { login(password: $password1) { token2 } }\n",
    ),
    ("code", "a.csv", "id,name,token_count\n1,a,128000\n"),
    (
        "code",
        "a.py",
        "basic = \"Basic authentication2 is deprecated\"\nbearer = 'Bearer authentication-scheme-2'\n",
    ),
    (
        "code",
        "a.yaml",
        "password_policy: min12-upper1-lower1-digit1\ntoken_endpoint: https://login.corp.io/oauth2/v2.0/token\n",
    ),
    (
        "code",
        "a.md",
        "| `password` | `string` | at least 12 characters, 1 digit |\n",
    ),
    (
        "code",
        "a.c",
        "static const uint8_t key[16] = { 0x2b, 0x7e, 0x15, 0x16 };\n",
    ),
    (
        "code",
        "a.kt",
        "viewModel.onPasswordChanged(password = state.password2Field)\n",
    ),
    (
        "code",
        "a.svg",
        "<path d=\"M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2z\"/>\n",
    ),
    (
        "code",
        "a.ipynb",
        "\"execution_count\": 12, \"id\": \"‹hex8›\", \"outputs\": [{\"image/png\": \"iVBORw0KGgo‹b64200›\"}]\n",
    ),
];

/// Clean texts, `rounds` of each form.
pub(super) fn negatives(seed: &mut Seed, rounds: usize) -> Vec<Sample> {
    let mut out = Vec::new();
    for _ in 0..rounds {
        for (sort, path, form) in CLEAN {
            out.push(Sample {
                secret: None,
                sort,
                path,
                text: seed.fill(form),
                value: String::new(),
            });
        }
    }
    out
}
