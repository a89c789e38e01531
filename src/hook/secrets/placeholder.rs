//! What is not a secret although it looks like one: stand-ins, references to
//! where the secret really is, documented dummies, and lines that say so.

use super::shape::{self, Mix};

/// Words that make a value a stand-in. Looked for in one case throughout
/// (`fake`, `FAKE` or `Fake`), so that noise does not hold them by accident.
const STAND_INS: &str = "example sample dummy fake placeholder changeme change-me change_me \
    changethis changeit redacted replace-me replace_me replaceme replacewith insert-your insert_your yourtoken your-token \
    your_token your-api your_api yourapi your-secret your_secret yoursecret your-key your_key \
    yourkey your-password your_password yourpassword your-access your_access youraccess \
    goes-here goes_here goeshere token-here token_here tokenhere key-here key_here keyhere \
    secret-here secret_here secrethere password-here password_here not-a-real not_a_real not-real \
    not_real notreal notasecret not-a-secret not_a_secret foobar lorem mocked mock-token mock_token mocktoken \
    mysecret my-secret my_secret my-token my_token mytoken my-api my_api test-token \
    test_token testtoken test-key test_key testkey test-secret test_secret testsecret test-pass test_pass \
    testpass test-api test_api unset undefined deadbeef cafebabe xxxx ---- .... **** #### ???? 0000000 1234567 abcdefg \
    abcd1234 abc123 todo fixme secretvalue secret-value secret_value supersecret super-secret super_secret \
    invalid bogus tobereplaced some-secret some_secret some-token some_token somesecret sometoken \
    passwordpassword hidden masked censored sanitized obfuscated templated \
    letmein qwerty iloveyou monkey123 decafbad feedface facefeed baadf00d";

/// Values under which nothing is kept: the passwords of documents and first tries.
const COMMON: &str = "password passwd passphrase passwort pass pwd pw secret secrets token user username admin administrator \
    root guest test tester testing demo default changeme change-me foo bar baz foobar hello world example \
    sample dummy fake mock temp tmp none null nil true false empty string value key apikey api-key api_key \
    mypassword my-password my_password mypass mypwd userpassword user_password userpass dbpass dbpassword db_password db_pass \
    yourpassword your-password your_password yourpass newpassword oldpassword postgres postgresql mysql mariadb mongo mongodb redis \
    rabbitmq minio minioadmin elastic oracle sa sqlserver neo4j airflow grafana kibana wordpress drupal \
    joomla laravel symfony django rails spring app application service docker kubernetes vagrant ubuntu \
    letmein welcome login credential credentials private public hunter qwerty abc xyz some something any \
    anything here there this that todo xxx yyy zzz pppp passw passwrd p r s x localhost server database secretpassword secret-password \
    supersecret super-secret topsecret mysecret my-secret authtoken auth-token auth_token access-token access_token accesstoken \
    oauth oauth2 x-oauth-basic x-token-auth x-access-token jwt bearer basic ci bot git dev prod staging local \
    testpassword test-password test_password testpass testuser strongpassword strong-password pass-word pass_word \
    passwordhere token-here insecure unsafe unused ignored redacted hidden";

/// FNV-1a hashes of keys and passwords that vendors' documents print.
const DOCUMENTED: &[u64] = &[
    0x8959_d21b_97c6_b870,
    0x3367_fe8c_16b6_73d2,
    0x846b_2a1e_2fad_7fcb,
    0xd9ad_86ad_3724_159b,
    0x54f1_836f_72c4_83c5,
    0xcb16_0c5e_bf07_2178,
    0x68b9_2a6b_386e_636f,
    0x8b8a_f471_6747_5bcc,
    0x3fc6_b77e_d29d_03e4,
    0x9f19_20c6_cd48_4714,
    0x3f9d_1c99_6e62_0b67,
    0x196e_8934_7ad7_c3f6,
    0x73c9_f9f0_2867_46c2,
    0xa0b7_d0ae_1540_b046,
    0xc78c_8b02_b85f_f24a,
    0x73c2_a09f_4b08_ebd1,
    0x73c2_b09f_4b09_0701,
    0x3c81_621e_143a_46ae,
    0x1147_d417_9cd6_ae73,
    0x0f0f_b540_73ad_7fc4,
    0xb5f7_369e_761f_e7c8,
    0x127a_b111_040c_863b,
    0xf7a3_ff5d_930c_54a1,
    0xe667_7181_ee93_58de,
    0xc557_f982_d8df_55fb,
    0xee04_25ac_21b0_3b65,
    0x9617_ea56_85ae_57ea,
    0x74e0_2cbf_2cd4_4891,
    0xcaf3_c4fb_769e_7bbf,
    0x55e6_407f_d6ee_a643,
    0xad64_48cd_511e_9618,
    0x7190_efa5_3c62_dea1,
    0xb7fe_5d6e_d376_4728,
    0x1a8b_2f56_1410_2794,
    0xeea9_6ab5_ea65_bb0c,
    0xafcb_73bc_d97e_3e2a,
    0xdc8d_8ca0_6454_72e9,
    0x1a7b_78be_56f3_054d,
    0xe49c_640a_a227_dc2f,
    0xf6ca_d54e_10eb_31ac,
    0x4db1_47a5_4908_e973,
    0xbb65_956c_4b8b_34bf,
    0x93f4_8307_af3a_d593,
    0x9065_33bd_3417_1226,
    0x0b45_8350_7c08_5caa,
    0xa7f8_d8bd_6024_3413,
    0xb653_181b_7dcc_41e4,
    0x4876_e236_27ba_2cc1,
    0xe261_39d1_2cbc_afb5,
    0xf2c3_6f12_4fb5_63fb,
    0x35f2_59b0_3a97_8db1,
    0x2bdc_36d5_4e0c_d032,
    0xcd70_4dd6_132b_705f,
    0xddd1_9c48_6d09_5d84,
    0x67e7_33c2_f903_5757,
    0x1dc5_c05b_b86a_a1c6,
    0x1232_4110_0b64_bf98,
    0xecc1_a447_4851_bc28,
    0x64c8_7183_4fcc_4aef,
    0x0bdf_f8aa_2b6b_e355,
    0x3fad_54da_ba11_e344,
];

/// Whether `word` is one of the blank-separated words of `list`, in lower case.
fn is_one_of(list: &str, word: &[u8]) -> bool {
    list.split_ascii_whitespace()
        .any(|one| one.as_bytes().eq_ignore_ascii_case(word))
}

/// Whether a document prints `value` for all to copy.
pub(super) fn is_documented(value: &[u8]) -> bool {
    DOCUMENTED.contains(&shape::fnv(value))
}

/// The first two bytes of the stand-in words, one bit each: few places of a value go further.
static STAND_IN_STARTS: [u64; 256] = stand_in_starts();

const fn stand_in_starts() -> [u64; 256] {
    let words = STAND_INS.as_bytes();
    let mut bits = [0; 256];
    let mut i = 0;
    while i + 1 < words.len() {
        if words[i] != b' ' && (i == 0 || words[i - 1] == b' ') {
            let pair = (words[i] as usize) << 7 | words[i + 1] as usize;
            bits[pair / 64] |= 1 << (pair % 64);
        }
        i += 1;
    }
    bits
}

/// How much of a value is searched for words.
const SEARCHED: usize = 160;

/// Whether `value` holds a stand-in word.
fn has_stand_in(value: &[u8]) -> bool {
    let value = &value[..value.len().min(SEARCHED)];
    value.windows(2).enumerate().any(|(at, two)| {
        let (a, b) = (two[0].to_ascii_lowercase(), two[1].to_ascii_lowercase());
        let pair = usize::from(a & 127) << 7 | usize::from(b & 127);
        STAND_IN_STARTS[pair / 64] >> (pair % 64) & 1 == 1
            && STAND_INS
                .split_ascii_whitespace()
                .any(|word| starts_in_one_case(&value[at..], word.as_bytes()))
    })
}

fn starts_in_one_case(text: &[u8], word: &[u8]) -> bool {
    let Some(here) = text.get(..word.len()) else {
        return false;
    };
    here.eq_ignore_ascii_case(word)
        && (here[1..].iter().all(|b| !b.is_ascii_uppercase())
            || here.iter().all(|b| !b.is_ascii_lowercase()))
}

/// Whether the random part of a token was made up by hand: a stand-in, or words.
pub(super) fn is_made_up(body: &[u8]) -> bool {
    is_stand_in(body)
        || (body.len() >= 16 && {
            let mix = Mix::of(body);
            mix.digit == 0 && (mix.upper == 0 || mix.lower == 0)
                || mix.letters() * 4 >= body.len() * 3
                    && shape::is_wordy(body)
                    && !shape::is_hex(body)
        })
}

/// Whether `value` is a stand-in: few different bytes, a sequence, or a word that says so.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    let least = match value.len() {
        0..=7 => 3,
        8..=15 => 4,
        16..=31 => 6,
        _ => 8,
    };
    shape::distinct(value) < least
        || shape::is_sequence(&value[..value.len().min(SEARCHED)])
        || has_stand_in(value)
}

/// Whether `value` is the hash of a password, made to be stored.
pub(super) fn is_password_hash(value: &[u8]) -> bool {
    "$2a$ $2b$ $2y$ $2x$ $argon2 $pbkdf2 $scrypt $6$ $5$ $1$ $apr1$ $y$ $7$ $bcrypt {SSHA {SHA {CRYPT} {bcrypt} pbkdf2_ pbkdf2: scrypt: argon2 bcrypt$ sha256$ sha1$ scram-sha-256$"
        .split_ascii_whitespace()
        .any(|mark| {
            value.len() > mark.len() && value[..mark.len()].eq_ignore_ascii_case(mark.as_bytes())
        })
}

/// Whether `value` stands for a secret that is somewhere else: a variable, a
/// template, a look-up, a path, a reference to a store.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let Some(&first) = value.first() else {
        return true;
    };
    let starts = |text: &str| {
        value.len() >= text.len() && value[..text.len()].eq_ignore_ascii_case(text.as_bytes())
    };
    let searched = &value[..value.len().min(SEARCHED)];
    let holds = |text: &str| {
        searched
            .windows(text.len())
            .any(|here| here.eq_ignore_ascii_case(text.as_bytes()))
    };
    if value.starts_with(b"__") && value.ends_with(b"__") {
        return true;
    }
    if matches!(first, b'<' | b'{' | b'[' | b'(') || (first == b'%' && value.ends_with(b"%")) {
        return true;
    }
    if first == b'$' {
        // `$VAR`, `${VAR}`, `$(command)`; `$2y$` and `$x9!` are not names.
        let name = &value[1..];
        if matches!(name.first(), Some(b'{' | b'(')) {
            return true;
        }
        let word = name
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'.'))
            .count();
        if word == name.len()
            && name
                .first()
                .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        {
            return true;
        }
    }
    if has_field(searched) {
        return true;
    }
    // Every one of the parts has one of these bytes, or a parenthesis after it.
    let marked = searched
        .iter()
        .any(|b| b"${}#%[(.@<\\".contains(b) || !b.is_ascii());
    REFERENCE_STARTS.split_ascii_whitespace().any(starts)
        || marked && REFERENCE_PARTS.split_ascii_whitespace().any(holds)
}

/// Whether `value` has a field to fill in: a short word or number in braces.
fn has_field(value: &[u8]) -> bool {
    value.iter().position(|b| *b == b'{').is_some_and(|open| {
        let inner = &value[open + 1..];
        let length = inner
            .iter()
            .take_while(|b| {
                b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b',' | b'+' | b'-' | b'=')
            })
            .count();
        inner.get(length) == Some(&b'}')
    })
}

/// How the ways to refer to a secret start.
const REFERENCE_STARTS: &str = "vault: op:// arn: ssm: env: env. keyring: file: \
    ref+ enc[ enc: enc( {cipher} !vault data: http:// \
    https:// secretsmanager: awssm: gcpsm: @microsoft.keyvault process.env os.environ os.getenv \
    system.getenv getenv( projects/ secret:// secrets:// kms: sops: ./ \
    ../ ~/ /run/ /etc/ /var/ /usr/ /home/ c:\\ \
    sha256: sha256- sha384- sha512- sha1- md5: sha1: urn: \
    did: git+ ssh-rsa ssh-ed25519 @ bearer basic resolve: \
    azurekeyvault akv: pass: keychain: lookup( var. local. module. \
    secrets. self. this. settings. config. mailto: application/ text/ \
    image/ ansible-vault $ansible_vault encrypted: v1:vault: vault:v1:";
/// What only a template, a look-up or an elision holds.
const REFERENCE_PARTS: &str =
    "${ {{ }} #{ <% %> $( %( process.env environ[ getenv env[ secrets. [[ @{ ${{ env( \\( ... …";

/// Whether `password`, in a place where only a password can stand (a URL, a
/// connection string, a header), is one nobody uses or that stands for one.
pub(super) fn is_stand_in_password(password: &[u8], user: &[u8]) -> bool {
    if password.len() < 4 || is_reference(password) || is_documented(password) {
        return true;
    }
    if !user.is_empty() && password.eq_ignore_ascii_case(user) {
        return true;
    }
    let mix = Mix::of(password);
    if mix.letters() + mix.digit == 0 || mix.odd > 0 {
        return true;
    }
    // Only digits: a port, a year, a count, or the first row of the keyboard.
    if mix.digit == password.len() && password.len() < 8 {
        return true;
    }
    let stem = password.trim_ascii_end();
    let stem = &stem[..stem
        .iter()
        .rposition(|b| !b.is_ascii_digit() && !matches!(b, b'!' | b'@' | b'#' | b'_' | b'-' | b'.'))
        .map_or(0, |at| at + 1)];
    if is_one_of(COMMON, stem) || is_one_of(COMMON, password) {
        return true;
    }
    if !user.is_empty() && stem.eq_ignore_ascii_case(user) {
        return true;
    }
    if password.len() >= 6
        && (shape::is_sequence(&password[..password.len().min(SEARCHED)])
            || shape::distinct(password) < 4)
    {
        return true;
    }
    // ALL_CAPS_NAME and Some_name are names of something.
    if mix.lower == 0 && mix.digit == 0 && mix.symbol == 0 && (mix.joint > 0 || password.len() < 12)
    {
        return true;
    }
    if has_stand_in(password) {
        return true;
    }
    // `my-app-password`: words with joints and nothing else.
    let lower = shape::is_wordy(password);
    (lower && mix.digit == 0 && mix.symbol == 0)
        || ends_in_word(password, b"password")
        || ends_in_word(password, b"passwd")
        || (ends_in_word(password, b"secret") && lower)
        || (ends_in_word(password, b"token") && lower)
        || (password.len() < 8
            && mix.digit == 0
            && mix.symbol == 0
            && (mix.upper == 0 || mix.lower == 0))
}

fn ends_in_word(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[text.len() - word.len()..].eq_ignore_ascii_case(word)
}

/// Whether the bytes around a value on its line say that it is not real: a
/// comment, or the name it is given.
pub(super) fn is_declared_fake(before: &[u8], after: &[u8]) -> bool {
    says_so(before, false) || says_so(after, has_comment_sign(before))
}

/// Words by which a line declares its value: those that do so anywhere, and
/// those that do so in a name or a comment only.
const ALWAYS: &str = "fake|dummy|placeholder|not real|not-real|not_real|\
    notreal|not a real|not a secret|not secret|allowlist secret|gitleaks:allow|\
    nosecret|made up|made-up|bogus|mocked|not valid|\
    invalid token|invalid key|non-functional|nonexistent|redacted|kingfisher:ignore|\
    trufflehog:ignore|secretlint-disable|ggignore|noqa: s105|noqa: s106|noqa:s105|\
    nosec|randomly generated for test|for illustration|illustrative|throwaway";
const IN_NAMES: &str = "example|sample|mock|docs-only|documentation";

fn has_comment_sign(text: &[u8]) -> bool {
    comment_start(text).is_some()
}

fn comment_start(text: &[u8]) -> Option<usize> {
    (0..text.len()).find(|&at| {
        let clear = at == 0
            || matches!(
                text[at - 1],
                b' ' | b'\t' | b';' | b'"' | b'\'' | b',' | b'{' | b'}' | b')'
            );
        let here = &text[at..];
        clear
            && (here.starts_with(b"#") && !here.starts_with(b"#{")
                || here.starts_with(b"//")
                || here.starts_with(b"/*")
                || here.starts_with(b"<!--")
                || here.starts_with(b"-- ")
                || here.starts_with(b"* ")
                || here.starts_with(b"; "))
    })
}

fn says_so(text: &[u8], commented: bool) -> bool {
    let comment = if commented {
        Some(0)
    } else {
        comment_start(text)
    };
    for at in 0..text.len() {
        let first = text[at].to_ascii_lowercase();
        if !matches!(
            first,
            b'f' | b'd'
                | b'p'
                | b'n'
                | b'a'
                | b'g'
                | b'm'
                | b'b'
                | b'i'
                | b'r'
                | b'k'
                | b't'
                | b's'
                | b'e'
        ) {
            continue;
        }
        let joined = at > 0
            && text[at - 1].is_ascii_alphabetic()
            && !(text[at].is_ascii_uppercase() && text[at - 1].is_ascii_lowercase());
        if joined {
            continue;
        }
        let here = &text[at..];
        let starts = |word: &&str| {
            here.len() >= word.len() && here[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        };
        let always = ALWAYS.split('|').find(starts);
        let Some(word) = always.or_else(|| IN_NAMES.split('|').find(starts)) else {
            continue;
        };
        let prior = at.checked_sub(1).map_or(b' ', |i| text[i]);
        let next = here.get(word.len()).copied().unwrap_or(b' ');
        let second = here.get(word.len() + 1).copied().unwrap_or(b' ');
        // A file, a folder or a host of that name says nothing.
        let in_path = matches!(prior, b'/' | b'@' | b'.' | b'\\')
            || matches!(next, b'/' | b'@' | b'\\')
            || (next == b'.' && second.is_ascii_alphanumeric());
        if in_path {
            continue;
        }
        if always.is_some() {
            return true;
        }
        let in_comment = comment.is_some_and(|from| from <= at);
        let in_name = prior == b'_'
            || matches!(next, b'_')
            || next.is_ascii_uppercase()
            || prior.is_ascii_lowercase()
            || (matches!(next, b'-') && second.is_ascii_alphabetic());
        let rest = here
            .get(word.len()..)
            .unwrap_or_default()
            .trim_ascii_start();
        let in_prose = matches!(next, b':' | b',')
            || [
                &b"key"[..],
                b"token",
                b"value",
                b"only",
                b"secret",
                b"credential",
                b"password",
                b"data",
                b"api",
            ]
            .iter()
            .any(|noun| rest.len() >= noun.len() && rest[..noun.len()].eq_ignore_ascii_case(noun));
        if in_comment || in_name || (in_prose && next != b'\\') {
            return true;
        }
    }
    false
}
