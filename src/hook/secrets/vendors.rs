//! Values that only their surroundings give away: a vendor's word in the name or
//! on the line, and the form that vendor's keys have.

use super::kinds::{Short, number};
use super::patterns;
use super::shape;

struct Vendor {
    kind: u8,
    /// In lower case; looked for in the name without its joints.
    word: Short<16>,
    /// The form of the whole value, in the language of `patterns`.
    form: Short<32>,
}

const fn vendor(id: &str, word: &str, form: &str) -> Vendor {
    Vendor {
        kind: number(id),
        word: Short::new(word),
        form: Short::new(form),
    }
}

static VENDORS: &[Vendor] = &[
    vendor("aws-secret-access-key", "secretaccesskey", "{b40}"),
    vendor("aws-secret-access-key", "awssecret", "{b40}"),
    vendor("aws-secret-access-key", "aws", "{b40}"),
    vendor("aws-secret-access-key", "s3secret", "{b40}"),
    vendor("aws-session-token", "sessiontoken", "{b100+}{=}"),
    vendor("azure-storage-key", "storage", "{b86}=="),
    vendor("azure-storage-key", "accountkey", "{b86}=="),
    vendor("azure-storage-key", "cosmos", "{b86}=="),
    vendor("azure-storage-key", "azure", "{b86}=="),
    vendor("azure-devops-token", "azuredevops", "{a52}"),
    vendor("azure-devops-token", "azdo", "{a52}"),
    vendor("azure-devops-token", "azpat", "{a52}"),
    vendor("alibaba-access-key", "aliyun", "{w30}"),
    vendor("alibaba-access-key", "alibaba", "{w30}"),
    vendor("alibaba-access-key", "alicloud", "{w30}"),
    vendor("tencent-secret-id", "tencent", "{w32}"),
    vendor("ibm-cloud-key", "ibm", "{u44}"),
    vendor("oracle-cloud-token", "oci", "{w20-40}"),
    vendor("heroku-key", "heroku", "{g}"),
    vendor("hetzner-token", "hcloud", "{w64}"),
    vendor("hetzner-token", "hetzner", "{w64}"),
    vendor("linode-token", "linode", "{h64}"),
    vendor("vultr-key", "vultr", "{A36}"),
    vendor("scaleway-key", "scw", "{g}"),
    vendor("scaleway-key", "scaleway", "{g}"),
    vendor("ovh-key", "ovh", "{w32}"),
    vendor("vercel-token", "vercel", "{w24}"),
    vendor("netlify-token", "netlify", "{u40-46}"),
    vendor("cloudflare-token", "cloudflare", "{u37-40}"),
    vendor("cloudflare-token", "cfapi", "{u37-40}"),
    vendor("cloudflare-token", "cftoken", "{u40}"),
    vendor("fastly-token", "fastly", "{u32}"),
    vendor("railway-token", "railway", "{g}"),
    vendor("snowflake-password", "snowflake", "{x12-80}"),
    vendor("mongodb-atlas-key", "atlas", "{g}"),
    vendor("confluent-secret", "confluent", "{b64}"),
    vendor("algolia-key", "algolia", "{h32}"),
    vendor("airtable-token", "airtable", "key{w14}"),
    vendor("pinecone-key", "pinecone", "{g}"),
    vendor("upstash-token", "upstash", "{y40-120}{=}"),
    vendor("bitbucket-token", "bitbucket", "{y32-64}{=}"),
    vendor("atlassian-token", "jira", "{w24}"),
    vendor("atlassian-token", "atlassian", "{w24}"),
    vendor("atlassian-token", "confluence", "{w24}"),
    vendor("gitea-token", "gitea", "{h40}"),
    vendor("gitea-token", "forgejo", "{h40}"),
    vendor("gitea-token", "codeberg", "{h40}"),
    vendor("vault-token", "vault", "s.{w24}"),
    vendor("akeyless-key", "akeyless", "{b44}"),
    vendor("ngrok-token", "ngrok", "{w25-30}_{w15-25}"),
    vendor("ngrok-token", "ngrok", "{w43-49}"),
    vendor("docker-hub-token", "docker", "{g}"),
    vendor("nuget-key", "nuget", "{a46}"),
    vendor("hex-key", "hexapi", "{h32}"),
    vendor("jfrog-token", "artifactory", "{w64-73}"),
    vendor("jfrog-token", "jfrog", "{w64-73}"),
    vendor("sonar-token", "sonar", "{h40}"),
    vendor("snyk-token", "snyk", "{g}"),
    vendor("circleci-token", "circle", "{h40}"),
    vendor("buildkite-token", "buildkite", "{a40-50}"),
    vendor("travis-token", "travis", "{u22}"),
    vendor("drone-token", "drone", "{w32}"),
    vendor("codecov-token", "codecov", "{g}"),
    vendor("codecov-token", "codecov", "{a32}"),
    vendor("replicate-token", "replicate", "{h40}"),
    vendor("cohere-key", "cohere", "{w40}"),
    vendor("cohere-key", "coapikey", "{w40}"),
    vendor("mistral-key", "mistral", "{w32}"),
    vendor("together-key", "together", "{h64}"),
    vendor("elevenlabs-key", "eleven", "{h32}"),
    vendor("wandb-key", "wandb", "{h40}"),
    vendor("deepseek-key", "deepseek", "sk-{h32}"),
    vendor("fireworks-key", "fireworks", "{w24-48}"),
    vendor("discord-token", "discord", "{u32}"),
    vendor("twilio-key", "twilio", "{h32}"),
    vendor("mailgun-key", "mailgun", "{h32}-{h8}-{h8}"),
    vendor("mailgun-key", "mailgun", "key-{h32}"),
    vendor("mailgun-key", "mailgun", "{h32}"),
    vendor("mailchimp-key", "mailchimp", "{h32}"),
    vendor("mailchimp-key", "mandrill", "{u22-27}"),
    vendor("postmark-token", "postmark", "{g}"),
    vendor("intercom-token", "intercom", "{y58-60}{=}"),
    vendor("zendesk-token", "zendesk", "{w40}"),
    vendor("messagebird-key", "messagebird", "{w25}"),
    vendor("facebook-token", "facebook", "{h32}"),
    vendor("facebook-token", "fbapp", "{h32}"),
    vendor("facebook-token", "instagram", "{h32}"),
    vendor("twitter-token", "twitter", "{w45-50}"),
    vendor("twitter-token", "twitter", "{w25}"),
    vendor("twitter-token", "twitter", "{d15-20}-{w20-40}"),
    vendor("linkedin-secret", "linkedin", "{w16}"),
    vendor("twitch-secret", "twitch", "{a30}"),
    vendor("spotify-secret", "spotify", "{h32}"),
    vendor("paypal-token", "braintree", "{h32}"),
    vendor("paypal-token", "paypal", "{u80}"),
    vendor("plaid-token", "plaid", "{h30}"),
    vendor("razorpay-secret", "razorpay", "{w24}"),
    vendor("coinbase-secret", "coinbase", "{w32-64}"),
    vendor("wallet-private-key", "privatekey", "0x{h64}"),
    vendor("wallet-private-key", "ethereum", "{h64}"),
    vendor("wallet-private-key", "ethprivate", "{h64}"),
    vendor("wallet-private-key", "wallet", "{h64}"),
    vendor("wallet-private-key", "wallet", "0x{h64}"),
    vendor("wallet-private-key", "deployer", "{h64}"),
    vendor("wallet-private-key", "deployer", "0x{h64}"),
    vendor("wallet-private-key", "mnemonic", "0x{h64}"),
    vendor("wallet-private-key", "wif", "{w51-52}"),
    vendor("wallet-private-key", "bitcoin", "{w51-52}"),
    vendor("wallet-private-key", "btc", "{w51-52}"),
    vendor("wireguard-private-key", "wireguard", "{b43}="),
    vendor("wireguard-private-key", "wgprivate", "{b43}="),
    vendor("wireguard-private-key", "privatekey", "{b43}="),
    vendor("wireguard-private-key", "presharedkey", "{b43}="),
    vendor("sentry-token", "sentry", "{h64}"),
    vendor("datadog-key", "datadog", "{h32}"),
    vendor("datadog-key", "datadog", "{h40}"),
    vendor("datadog-key", "ddapi", "{h32}"),
    vendor("datadog-key", "ddapp", "{h40}"),
    vendor("new-relic-key", "newrelic", "{h40}"),
    vendor("pagerduty-key", "pagerduty", "{u20}"),
    vendor("pagerduty-key", "pagerduty", "{h32}"),
    vendor("honeycomb-key", "honeycomb", "{w22-32}"),
    vendor("splunk-token", "splunk", "{g}"),
    vendor("splunk-token", "hec", "{g}"),
    vendor("sumologic-key", "sumo", "{w64}"),
    vendor("launchdarkly-key", "launchdarkly", "{g}"),
    vendor("launchdarkly-key", "launchdarkly", "api-{g}"),
    vendor("logdna-key", "logdna", "{h32}"),
    vendor("okta-token", "okta", "00{u40}"),
    vendor("okta-token", "okta", "{u40-64}"),
    vendor("auth0-secret", "auth0", "{u64}"),
    vendor("asana-token", "asana", "{h32}"),
    vendor("asana-token", "asana", "0/{h32}"),
    vendor("hubspot-token", "hubspot", "{g}"),
    vendor("hubspot-token", "hapikey", "{g}"),
    vendor("dropbox-token", "dropbox", "{a15}"),
    vendor("dropbox-token", "dropbox", "{u64}"),
    vendor("adobe-secret", "adobe", "{h32}"),
    vendor("contentful-token", "contentful", "{u43}"),
    vendor("notion-token", "notion", "secret_{w43}"),
    vendor("linear-key", "linear", "{h32}"),
    vendor("rapidapi-key", "rapidapi", "{w50}"),
    vendor("trello-token", "trello", "{h64}"),
    vendor("trello-token", "trello", "{h32}"),
    vendor("maxmind-key", "maxmind", "{w16}"),
    vendor("clickhouse-key", "clickhouse", "{w16-48}"),
    vendor("neon-key", "neon", "{w12-24}"),
    vendor("databricks-token", "databricks", "{h32-36}"),
    vendor("crates-io-token", "cargoregistry", "{w32}"),
    vendor("openai-key", "openai", "{h32}"),
    vendor("facebook-token", "whatsapp", "{h32}"),
];

/// The kind of `value` when `name` (or, failing it, the line before) speaks of
/// a vendor whose keys look like it.
pub(super) fn kind_of(name: &[u8], line: &[u8], value: &[u8]) -> Option<u8> {
    let mut flat = [0_u8; 160];
    let mut length = 0;
    for byte in name
        .iter()
        .filter(|b| b.is_ascii_alphanumeric())
        .take(flat.len())
    {
        flat[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    let flat = &flat[..length];
    let line = &line[line.len().saturating_sub(120)..];
    let fits = |vendor: &&Vendor| patterns::fits(vendor.form.bytes(), value);
    VENDORS
        .iter()
        .filter(fits)
        .find(|vendor| shape::find_ignore_case(flat, vendor.word.bytes()).is_some())
        .or_else(|| {
            VENDORS.iter().filter(fits).find(|vendor| {
                vendor.word.bytes().len() > 4
                    && shape::find_ignore_case(line, vendor.word.bytes()).is_some()
            })
        })
        .map(|vendor| vendor.kind)
}

/// Whether the line around a token speaks of the vendor of `kind`.
pub(super) fn line_names((before, after): (&[u8], &[u8]), kind: u8) -> bool {
    VENDORS
        .iter()
        .filter(|vendor| vendor.kind == kind)
        .any(|vendor| {
            [before, after]
                .iter()
                .any(|part| shape::find_ignore_case(part, vendor.word.bytes()).is_some())
        })
}
