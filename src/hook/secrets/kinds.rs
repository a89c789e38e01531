//! The kinds of secrets, for findings and documents.
//!
//! A new kind is a line here, and a line in `patterns` (a token with a fixed
//! start), in `vendors` (a value only its name gives away) or a reader of its own.

/// A kind of secret: a stable id and what it is.
#[derive(Clone, Copy)]
pub struct Kind {
    id: Short<32>,
    about: Short<88>,
}

impl Kind {
    /// The stable id, such as `github-token`.
    pub fn id(&self) -> &str {
        self.id.text()
    }

    /// What it is, in one line.
    pub fn about(&self) -> &str {
        self.about.text()
    }
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

/// A text kept in place: a table of these needs no relocation when the program starts.
#[derive(Clone, Copy)]
pub(super) struct Short<const N: usize> {
    length: u8,
    bytes: [u8; N],
}

impl<const N: usize> Short<N> {
    pub(super) const fn new(text: &str) -> Self {
        let from = text.as_bytes();
        assert!(from.len() <= N, "text too long for its table");
        let mut bytes = [0; N];
        let mut i = 0;
        while i < from.len() {
            bytes[i] = from[i];
            i += 1;
        }
        Self {
            length: small(from.len()),
            bytes,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    fn text(&self) -> &str {
        str::from_utf8(self.bytes()).unwrap_or_default()
    }

    /// The byte at `i`, at compile time.
    pub(super) const fn at(&self, i: usize) -> u8 {
        self.bytes[i]
    }

    /// Whether the text is `other`, at compile time.
    const fn is(&self, other: &[u8]) -> bool {
        if self.length as usize != other.len() {
            return false;
        }
        let mut i = 0;
        while i < other.len() {
            if self.bytes[i] != other[i] {
                return false;
            }
            i += 1;
        }
        true
    }
}

/// A length or an index of a table as a byte; one that does not fit stops the compiler.
#[expect(
    clippy::cast_possible_truncation,
    reason = "checked on the line before"
)]
pub(super) const fn small(number: usize) -> u8 {
    assert!(number < 256, "too large for its table");
    number as u8
}

/// The number of the kind called `id`. Asked only at compile time, where an
/// unknown id is an error.
pub(super) const fn number(id: &str) -> u8 {
    let mut i = 0;
    while i < KINDS.len() {
        if KINDS[i].id.is(id.as_bytes()) {
            return small(i);
        }
        i += 1;
    }
    panic!("no kind has this id")
}

const fn kind(id: &str, about: &str) -> Kind {
    Kind {
        id: Short::new(id),
        about: Short::new(about),
    }
}

/// Every kind the scanner can report.
pub static KINDS: &[Kind] = &[
    // Code hosting.
    kind(
        "github-token",
        "GitHub token: classic, OAuth, app or refresh",
    ),
    kind(
        "github-fine-grained-token",
        "GitHub fine-grained personal access token",
    ),
    kind(
        "gitlab-token",
        "GitLab token of any kind (personal, deploy, runner, trigger, job, agent)",
    ),
    kind("bitbucket-token", "Bitbucket access token or app password"),
    kind("atlassian-token", "Atlassian API token"),
    kind("gitea-token", "Gitea or Forgejo access token"),
    kind("sourcegraph-token", "Sourcegraph access token"),
    // Clouds.
    kind("aws-access-key-id", "AWS access key id"),
    kind("aws-secret-access-key", "AWS secret access key"),
    kind("aws-session-token", "AWS session token"),
    kind("aws-bedrock-key", "Amazon Bedrock API key"),
    kind("aws-mws-key", "Amazon marketplace web service key"),
    kind("google-api-key", "Google API key, also Gemini and Firebase"),
    kind("google-oauth-secret", "Google OAuth client secret"),
    kind("google-oauth-token", "Google OAuth access or refresh token"),
    kind("firebase-server-key", "Firebase cloud messaging server key"),
    kind("azure-client-secret", "Microsoft Entra application secret"),
    kind(
        "azure-storage-key",
        "Azure storage, Cosmos or Batch account key",
    ),
    kind(
        "azure-shared-access-key",
        "Azure Service Bus, Event Hubs or IoT shared access key",
    ),
    kind("azure-devops-token", "Azure DevOps personal access token"),
    kind("azure-function-key", "Azure function key in a URL"),
    kind("alibaba-access-key", "Alibaba Cloud access key"),
    kind("tencent-secret-id", "Tencent Cloud secret id"),
    kind("yandex-token", "Yandex Cloud key or token"),
    kind("ibm-cloud-key", "IBM Cloud API key"),
    kind("oracle-cloud-token", "Oracle Cloud auth token"),
    kind("digitalocean-token", "DigitalOcean token"),
    kind("heroku-key", "Heroku API key"),
    kind("fly-token", "Fly.io access token"),
    kind("render-key", "Render API key"),
    kind("hetzner-token", "Hetzner Cloud token"),
    kind("linode-token", "Linode token"),
    kind("vultr-key", "Vultr API key"),
    kind("scaleway-key", "Scaleway key"),
    kind("ovh-key", "OVH application secret"),
    kind("vercel-token", "Vercel token"),
    kind("netlify-token", "Netlify token"),
    kind("cloudflare-token", "Cloudflare API token or key"),
    kind("cloudflare-origin-ca-key", "Cloudflare origin CA key"),
    kind("fastly-token", "Fastly API token"),
    kind("railway-token", "Railway token"),
    // Data stores.
    kind("databricks-token", "Databricks token"),
    kind("snowflake-password", "Snowflake password or token"),
    kind("supabase-key", "Supabase service key or access token"),
    kind("planetscale-token", "PlanetScale token or password"),
    kind("neon-key", "Neon API key or password"),
    kind(
        "mongodb-atlas-key",
        "MongoDB Atlas key or service account secret",
    ),
    kind("confluent-secret", "Confluent Cloud API secret"),
    kind("clickhouse-key", "ClickHouse Cloud key"),
    kind("elastic-key", "Elastic Cloud API key"),
    kind("algolia-key", "Algolia admin key"),
    kind("airtable-token", "Airtable token"),
    kind("pinecone-key", "Pinecone API key"),
    kind("upstash-token", "Upstash token"),
    kind("turso-token", "Turso token"),
    // Infrastructure and secrets stores.
    kind("terraform-cloud-token", "Terraform Cloud token"),
    kind("vault-token", "HashiCorp Vault token"),
    kind("pulumi-token", "Pulumi access token"),
    kind("doppler-token", "Doppler token"),
    kind("onepassword-token", "1Password service account token"),
    kind("onepassword-secret-key", "1Password secret key"),
    kind("infisical-token", "Infisical token"),
    kind("bitwarden-token", "Bitwarden secrets manager access token"),
    kind("akeyless-key", "Akeyless access key"),
    kind("age-secret-key", "age or SOPS secret key"),
    kind("tailscale-key", "Tailscale key"),
    kind("ngrok-token", "ngrok token"),
    kind("wireguard-private-key", "WireGuard private key"),
    kind("openshift-token", "OpenShift user token"),
    kind("kubernetes-secret", "Value of a Kubernetes secret"),
    kind("docker-hub-token", "Docker Hub token"),
    kind(
        "docker-config-auth",
        "Registry login in a Docker configuration",
    ),
    // Packages and builds.
    kind("npm-token", "npm token"),
    kind("pypi-token", "PyPI token"),
    kind("rubygems-key", "RubyGems key"),
    kind("crates-io-token", "crates.io token"),
    kind("nuget-key", "NuGet key"),
    kind("clojars-token", "Clojars token"),
    kind("packagist-token", "Packagist token"),
    kind("hex-key", "hex.pm key"),
    kind("jfrog-token", "JFrog or Artifactory token"),
    kind("sonar-token", "SonarQube token"),
    kind("snyk-token", "Snyk token"),
    kind("circleci-token", "CircleCI token"),
    kind("buildkite-token", "Buildkite token"),
    kind("travis-token", "Travis CI token"),
    kind("drone-token", "Drone token"),
    kind("codecov-token", "Codecov token"),
    kind("octopus-key", "Octopus Deploy key"),
    kind("harness-key", "Harness key"),
    kind("prefect-key", "Prefect key"),
    // Models.
    kind(
        "openai-key",
        "OpenAI key: legacy, project, service account or admin",
    ),
    kind("anthropic-key", "Anthropic key"),
    kind("openrouter-key", "OpenRouter key"),
    kind(
        "deepseek-key",
        "DeepSeek or another model key that starts with sk-",
    ),
    kind("huggingface-token", "Hugging Face token"),
    kind("replicate-token", "Replicate token"),
    kind("groq-key", "Groq key"),
    kind("xai-key", "xAI key"),
    kind("perplexity-key", "Perplexity key"),
    kind("cohere-key", "Cohere key"),
    kind("mistral-key", "Mistral key"),
    kind("together-key", "Together AI key"),
    kind("elevenlabs-key", "ElevenLabs key"),
    kind("nvidia-key", "NVIDIA API key"),
    kind("langsmith-key", "LangSmith key"),
    kind("wandb-key", "Weights & Biases key"),
    kind("fireworks-key", "Fireworks AI key"),
    kind("cerebras-key", "Cerebras key"),
    kind("tavily-key", "Tavily key"),
    // Messages.
    kind("slack-token", "Slack token"),
    kind("slack-webhook", "Slack webhook"),
    kind("discord-token", "Discord bot token"),
    kind("discord-webhook", "Discord webhook"),
    kind("teams-webhook", "Microsoft Teams or Power Automate webhook"),
    kind("telegram-token", "Telegram bot token"),
    kind(
        "chat-webhook",
        "Webhook of a chat (Google Chat, Lark, DingTalk, WeCom, Mattermost)",
    ),
    kind(
        "automation-webhook",
        "Webhook of an automation service (Zapier, IFTTT, Make, PagerDuty)",
    ),
    kind("twilio-key", "Twilio key or auth token"),
    kind("sendgrid-key", "SendGrid key"),
    kind("mailgun-key", "Mailgun key"),
    kind("mailchimp-key", "Mailchimp or Mandrill key"),
    kind("brevo-key", "Brevo key"),
    kind("postmark-token", "Postmark token"),
    kind("resend-key", "Resend key"),
    kind("intercom-token", "Intercom token"),
    kind("zendesk-token", "Zendesk token"),
    kind("messagebird-key", "MessageBird key"),
    kind("facebook-token", "Facebook or Instagram token or secret"),
    kind("twitter-token", "X (Twitter) token or secret"),
    kind("linkedin-secret", "LinkedIn client secret"),
    kind("twitch-secret", "Twitch token or secret"),
    kind("spotify-secret", "Spotify client secret"),
    // Money.
    kind(
        "stripe-key",
        "Stripe secret or restricted key, or webhook secret",
    ),
    kind("shopify-token", "Shopify token or secret"),
    kind("square-token", "Square token or secret"),
    kind("paypal-token", "PayPal or Braintree token"),
    kind("plaid-token", "Plaid token or secret"),
    kind("adyen-key", "Adyen key"),
    kind("razorpay-secret", "Razorpay secret"),
    kind("flutterwave-key", "Flutterwave secret key"),
    kind("coinbase-secret", "Coinbase secret"),
    kind("shippo-token", "Shippo token"),
    kind("easypost-key", "EasyPost key"),
    kind(
        "wallet-private-key",
        "Private key of a wallet (WIF, xprv, Ethereum)",
    ),
    // Watching.
    kind("sentry-token", "Sentry token"),
    kind("datadog-key", "Datadog key"),
    kind("new-relic-key", "New Relic key"),
    kind("grafana-token", "Grafana token"),
    kind("pagerduty-key", "PagerDuty key"),
    kind("dynatrace-token", "Dynatrace token"),
    kind("honeycomb-key", "Honeycomb key"),
    kind("splunk-token", "Splunk token"),
    kind("sumologic-key", "Sumo Logic key"),
    kind("launchdarkly-key", "LaunchDarkly key"),
    kind("posthog-key", "PostHog personal key"),
    kind("logdna-key", "Mezmo (LogDNA) key"),
    // Sign-in.
    kind("okta-token", "Okta token"),
    kind("auth0-secret", "Auth0 client secret"),
    kind("clerk-key", "Clerk secret key"),
    kind("workos-key", "WorkOS key"),
    // Work.
    kind("linear-key", "Linear key"),
    kind("notion-token", "Notion token"),
    kind("figma-token", "Figma token"),
    kind("asana-token", "Asana token"),
    kind("clickup-token", "ClickUp token"),
    kind("hubspot-token", "HubSpot token"),
    kind("salesforce-token", "Salesforce session or refresh token"),
    kind("postman-key", "Postman key"),
    kind("dropbox-token", "Dropbox token"),
    kind("adobe-secret", "Adobe client secret"),
    kind("contentful-token", "Contentful token"),
    kind("mapbox-token", "Mapbox secret token"),
    kind("typeform-token", "Typeform token"),
    kind("readme-key", "ReadMe key"),
    kind("duffel-token", "Duffel token"),
    kind("frameio-token", "Frame.io token"),
    kind("maxmind-key", "MaxMind licence key"),
    kind("rapidapi-key", "RapidAPI key"),
    kind("trello-token", "Trello token"),
    kind("monday-token", "monday.com token"),
    // Forms that belong to no vendor.
    kind(
        "private-key",
        "Private key in PEM, OpenSSH, PGP, SSH2 or PuTTY armour",
    ),
    kind(
        "private-key-base64",
        "Private key whose armour is base64 once more",
    ),
    kind("private-jwk", "JSON web key with its private part"),
    kind("private-key-xml", "RSA private key as XML"),
    kind("json-web-token", "Signed JSON web token"),
    kind(
        "credential-url",
        "URL with a password or token before its host",
    ),
    kind("connection-string", "Connection string with a password"),
    kind(
        "signed-link",
        "Signed link (AWS, Google, Azure, CloudFront, Alibaba)",
    ),
    kind(
        "basic-auth-header",
        "Basic authorization header with a user and password",
    ),
    kind("bearer-token", "Bearer token in a header"),
    kind(
        "command-credential",
        "Password or token as an argument of a command",
    ),
    kind("netrc-password", "Password of a netrc entry"),
    kind(
        "package-registry-login",
        "Login of a package registry (.npmrc, .pypirc, Maven, NuGet, Composer)",
    ),
    kind("password-hash", "Password hash in a password file"),
    kind("password", "Password assigned in a file"),
    kind("secret", "Secret, key or token assigned in a file"),
];
