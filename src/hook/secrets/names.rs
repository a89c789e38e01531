//! What a name says about the value it is given. A name never makes a value a
//! secret; it says how closely the value is looked at.

/// What sort of value a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// `password`, `pwd`, `passphrase`.
    Password,
    /// `secret`, `token`, `api_key`, `client_secret`.
    Secret,
    /// Some other `…_key`, or `credentials`: most are no secrets.
    Key,
    /// `auth`, `_auth`, `authorization`: a user and password in base64.
    Login,
}

/// The longest name that is read.
pub(super) const LONGEST_NAME: usize = 80;

const MOST_PARTS: usize = 16;

const PASSWORD: &str = "password passwd passphrase pass pwd passcode pw psw passwort pswd motdepasse contrasena senha requirepass masterauth cleartextpassword storepass keypass rootpw bindpw userpass";
const PASSWORD_ENDS: &str = "password passwd passphrase pwd";
const SECRET: &str = "secret token apikey secretkey accesskey privatekey authtoken accesstoken clientsecret bearer pat apisecret signingkey encryptionkey \
    masterkey authkey accountkey sharedkey secrettoken apitoken refreshtoken bottoken webhooksecret jwtsecret sessionsecret sharedsecret \
    appsecret consumersecret sessiontoken idtoken secretaccesskey licensekey servicekey sharedaccesskey secrets tokens apikeys dsn";
const SECRET_ENDS: &str =
    "secret token apikey secretkey accesskey privatekey secretaccesskey authkey apitoken";
/// Words before `key` that make it a secret one.
const KEYS: &str = "api secret access private auth account signing encryption master license licence service shared hmac jwt session crypto cipher \
    client consumer app admin deploy ssh rsa aes ed25519 ecdsa wallet signature sign crypt decryption encrypt decrypt subscription write ingest personal integration application storage \
    stripe sendgrid openai anthropic gemini google aws azure gcp twilio mailgun datadog dd maps algolia mapbox newrelic relic github gitlab slack discord groq mistral cohere pinecone flask django rails fernet bot webhook preshared psk base";
/// Words before `key` that make it a public one, or no key at all.
const OPEN_KEYS: &str = "public primary foreign sort partition cache publishable anon host row object lookup translation i18n message route index column field \
    group natural unique composite candidate hash range map dict json yaml config settings react idempotency dedup sort site pub verification verify public";
/// Words after the telling one that make the value something else.
const AFTER: &str = "hash hashed hashes id ids name names type types url uri urls path paths file files filename field fields label hint hints length len size policy policies expiry \
    expires expiration expired ttl lifetime age endpoint message messages error errors prompt placeholder regex pattern header headers env var variable count limit max min usage used reset rotation prefix suffix digest \
    checksum sha256 sha1 sha512 md5 fingerprint arn ref refs reference version format provider manager store storage service class required enabled disabled valid invalid validation strength \
    description title text input form page link button icon template selector changed updated created at date time timestamp method algorithm alg issuer audience scope scopes status state kind resource location region vault \
    column table index schema property attribute parameter param arg option flag setting settings rule rules check checker test tests helper util handler controller view model component event action command query response request \
    encoder decoder generator factory builder parser lexer stream position line kid thumbprint jwk pub public recovery forgot confirmation mismatch visible visibility toggle rounds cost salt iterations owner user username tokenizer budget price symbol supply contract mint network balance address mask score scores logprobs window";

/// Words after the telling one that only say which of several it is.
const STAGES: &str = "prod production dev development staging stage live main master primary secondary old new current next default string str text plain b64 base64 admin root user db eu us";

/// What `name` promises, or nothing if it names no credential or says itself that it is none.
pub(super) fn naming(name: &[u8]) -> Option<Naming> {
    let name = &name[name.len().saturating_sub(LONGEST_NAME)..];
    if !has_stem(name) {
        return None;
    }
    let mut lower = [0_u8; LONGEST_NAME];
    for (to, from) in lower.iter_mut().zip(name) {
        *to = from.to_ascii_lowercase();
    }
    let (parts, count) = parts(name);
    let part = |i: usize| -> &[u8] {
        let (start, end) = parts[i];
        &lower[start..end]
    };
    let mut found = None;
    let mut index = count;
    while index > 0 && found.is_none() {
        index -= 1;
        let this = part(index);
        let before = index.checked_sub(1).map_or(&b""[..], part);
        found = one(this, before);
        // A short word tells only at the end of a name, or before `base` and numbers.
        let rest_is_open = (index + 1..count).any(|i| {
            part(i) != b"base"
                && !part(i).iter().all(u8::is_ascii_digit)
                && !is_word(STAGES, part(i))
        });
        if rest_is_open && (this.len() <= 4 || found == Some(Naming::Key)) {
            found = None;
        }
        if found.is_none() && is_word(AFTER, this) {
            return None;
        }
    }
    let found = found?;
    let unreal = |word: &[u8]| {
        is_word(
            "fake dummy mock mocked example sample placeholder stub fixture test testing tests invalid wrong bad bogus",
            word,
        )
    };
    if (0..count).any(|i| unreal(part(i))) {
        return None;
    }
    Some(found)
}

/// The first three letters of each word that can matter.
const STEMS: &[u8] = b"paspswpskpatpeppinsecsassidsenshatokkeycrecooconautjwtbeadsnmasmotlogapireq";

/// The first two letters of the stems, and `pw`: a row a letter, a bit a second letter.
static STEM_STARTS: [u32; 32] = stem_starts();

const fn stem_starts() -> [u32; 32] {
    let mut rows = [0; 32];
    rows[(b'p' & 31) as usize] = 1 << (b'w' & 31);
    let mut i = 0;
    while i < STEMS.len() {
        rows[(STEMS[i] & 31) as usize] |= 1 << (STEMS[i + 1] & 31);
        i += 3;
    }
    rows
}

/// Whether some letters of `name` start a word that can matter: most names end here.
fn has_stem(name: &[u8]) -> bool {
    name.windows(2).enumerate().any(|(at, pair)| {
        STEM_STARTS[usize::from(pair[0] & 31)] >> (pair[1] & 31) & 1 == 1 && {
            let (a, b) = (pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase());
            let third = name.get(at + 2).map_or(b'_', u8::to_ascii_lowercase);
            (a == b'p' && b == b'w') || STEMS.chunks_exact(3).any(|stem| *stem == [a, b, third])
        }
    })
}

fn one(this: &[u8], before: &[u8]) -> Option<Naming> {
    if is_word(PASSWORD, this) || ends(PASSWORD_ENDS, this) {
        return Some(Naming::Password);
    }
    if this == b"key" || this == b"keys" {
        if is_word(KEYS, before) {
            return Some(Naming::Secret);
        }
        return (!before.is_empty() && !is_word(OPEN_KEYS, before)).then_some(Naming::Key);
    }
    if this == b"token"
        && is_word(
            "csrf xsrf public max min total page next cancel cancellation design continuation num special pad bos eos unk start end stop sync",
            before,
        )
    {
        return None;
    }
    if is_word(SECRET, this) || ends(SECRET_ENDS, this) {
        return Some(Naming::Secret);
    }
    if this == b"auth" && is_word("redis cache smtp app api", before) {
        return Some(Naming::Secret);
    }
    if matches!(this, b"auth" | b"authorization" | b"login") {
        return Some(Naming::Login);
    }
    if matches!(
        this,
        b"credential"
            | b"credentials"
            | b"creds"
            | b"cred"
            | b"cookie"
            | b"signature"
            | b"salt"
            | b"pepper"
            | b"otp"
            | b"seed"
            | b"pin"
            | b"webhook"
            | b"hmac"
            | b"jwt"
            | b"sas"
            | b"nonce"
            | b"sid"
            | b"keypair"
            | b"certificate"
            | b"license"
            | b"psk"
    ) {
        return matches!(
            this,
            b"credential"
                | b"credentials"
                | b"creds"
                | b"cred"
                | b"cookie"
                | b"pepper"
                | b"psk"
                | b"sid"
                | b"jwt"
                | b"sas"
        )
        .then_some(Naming::Key);
    }
    None
}

/// Whether `word` is one of the blank-separated words of `list`.
fn is_word(list: &str, word: &[u8]) -> bool {
    list.split_ascii_whitespace()
        .any(|one| one.as_bytes() == word)
}

fn ends(list: &str, word: &[u8]) -> bool {
    list.split_ascii_whitespace()
        .any(|one| word.len() > one.len() && word.ends_with(one.as_bytes()))
}

/// The parts of a name between its joints and at its humps: `dbPassword2` is `db`, `Password`, `2`.
fn parts(name: &[u8]) -> ([(usize, usize); MOST_PARTS], usize) {
    let mut parts = [(0, 0); MOST_PARTS];
    let mut count = 0;
    let mut start = None;
    for at in 0..=name.len() {
        let byte = name.get(at).copied().unwrap_or(b'_');
        let before = at.checked_sub(1).map_or(b'_', |i| name[i]);
        let next = name.get(at + 1).copied().unwrap_or(b'_');
        let joint = !byte.is_ascii_alphanumeric();
        let hump = byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase()
                || (before.is_ascii_uppercase() && next.is_ascii_lowercase()));
        let number =
            byte.is_ascii_digit() && before.is_ascii_alphabetic() && !next.is_ascii_alphanumeric();
        if joint || hump || number {
            if let Some(from) = start.take()
                && from < at
            {
                if count == MOST_PARTS {
                    // The end of a long name says most.
                    parts.rotate_left(1);
                    count -= 1;
                }
                parts[count] = (from, at);
                count += 1;
            }
            start = (!joint).then_some(at);
        } else if start.is_none() {
            start = Some(at);
        }
    }
    (parts, count)
}

#[cfg(test)]
mod tests {
    use super::{Naming, naming};

    #[test]
    fn a_name_promises_what_its_last_word_says() {
        for (name, promise) in [
            ("password", Some(Naming::Password)),
            ("DB_PASSWORD", Some(Naming::Password)),
            ("dbPass", Some(Naming::Password)),
            ("userPassword2", Some(Naming::Password)),
            ("spring.datasource.password", Some(Naming::Password)),
            ("SECRET_KEY", Some(Naming::Secret)),
            ("SECRET_KEY_BASE", Some(Naming::Secret)),
            ("stripeApiKey", Some(Naming::Secret)),
            ("APIKey", Some(Naming::Secret)),
            ("x-api-key", Some(Naming::Secret)),
            ("client_secret", Some(Naming::Secret)),
            ("GITHUB_TOKEN", Some(Naming::Secret)),
            ("_authToken", Some(Naming::Secret)),
            ("_auth", Some(Naming::Login)),
            ("public_key", None),
            ("cacheKey", None),
            ("key", None),
            ("monkey", None),
            ("password_hash", None),
            ("passwordResetUrl", None),
            ("secretName", None),
            ("token_type", None),
            ("max_tokens", Some(Naming::Secret)),
            ("compass", None),
            ("fakeToken", None),
            ("author", None),
        ] {
            assert_eq!(naming(name.as_bytes()), promise, "{name}");
        }
    }
}
