use super::*;
use proptest::prelude::*;

fn found(command: &str) -> Found {
    read(
        command,
        Language::Posix,
        &Start {
            folder: Some("/p".into()),
            home: Some("/h"),
        },
    )
}

/// The certain paths a command writes, relative to `/p` where they lie in it.
fn files(command: &str) -> Vec<String> {
    found(command)
        .writes
        .iter()
        .filter(|write| write.known && !write.maybe)
        .map(|write| {
            write
                .path
                .strip_prefix("/p/")
                .unwrap_or(&write.path)
                .to_owned()
        })
        .collect()
}

#[test]
fn redirections_write() {
    for (command, want) in [
        ("echo a > f", vec!["f"]),
        ("echo a >> f 2> g", vec!["f", "g"]),
        ("echo a >|f", vec!["f"]),
        ("run &> all", vec!["all"]),
        ("run &>> all", vec!["all"]),
        ("run >& all", vec!["all"]),
        ("run > f 2>&1", vec!["f"]),
        ("run 2>/dev/null >/dev/null", vec![]),
        ("run <> f", vec!["f"]),
        ("cat < f", vec![]),
        ("echo '> f'", vec![]),
        ("echo \"> f\"", vec![]),
        ("echo \\> f", vec![]),
        ("# > f\necho", vec![]),
        ("echo a#b > f", vec!["f"]),
        ("> f", vec!["f"]),
        ("{ echo a; echo b; } > f", vec!["f"]),
        ("( cd sub && echo a > f ); echo b > g", vec!["sub/f", "g"]),
        ("if true; then echo a > f; fi", vec!["f"]),
        ("a=1 run > 'my file.txt'", vec!["my file.txt"]),
        ("echo a > ./x/../f", vec!["f"]),
        ("echo a > /abs/f", vec!["/abs/f"]),
        ("echo a > ~/f", vec!["/h/f"]),
        ("echo a > \"$HOME/f\"", vec!["/h/f"]),
        ("echo a > ${HOME}/f", vec!["/h/f"]),
        ("D=sub; echo a > \"$D/f\"", vec!["sub/f"]),
        ("echo a > \"$UNKNOWN/f\"", vec![]),
        ("echo a > $(mktemp)", vec![]),
        ("x=$(echo a > f)", vec!["f"]),
        ("x=\"$(echo a > f)\"", vec!["f"]),
        ("echo $((1 > 2))", vec![]),
        ("((x > 3)) && echo a > f", vec!["f"]),
        ("[[ a > b ]] && echo a > f", vec!["f"]),
        ("f() { echo a > g; }", vec!["g"]),
        ("diff <(sort a > b) c", vec!["b"]),
        ("run 3> f", vec!["f"]),
        ("run x3> f", vec!["f"]),
        ("cd sub && echo a > f", vec!["sub/f"]),
        ("cd \"$X\" && echo a > f", vec![]),
        ("echo a \\\n  > f", vec!["f"]),
        ("echo a > $'f\\x31'", vec!["f1"]),
        ("a | b > f & c > g", vec!["f", "g"]),
    ] {
        assert_eq!(files(command), want, "{command}");
    }
}

#[test]
fn programs_that_write() {
    for (command, want) in [
        ("echo a | tee -a f g", vec!["f", "g"]),
        ("sed -i s/a/b/ f", vec!["f"]),
        ("sed -i.bak 's/a/b/' f g", vec!["f", "g"]),
        ("sed -i '' s/a/b/ f", vec!["f"]),
        ("sed -i -e s/a/b/ -e s/c/d/ f", vec!["f"]),
        ("sed -ie s/a/b/ f", vec!["f"]),
        ("sed -Ei s/a/b/ f", vec!["f"]),
        ("sed -E -i s/a/b/ f", vec!["f"]),
        ("sed --in-place=.x s/a/b/ f", vec!["f"]),
        ("sed -n 1p f", vec![]),
        ("perl -pi -e 's/a/b/' f", vec!["f"]),
        ("perl -i -pe 's/a/b/' f", vec!["f"]),
        ("perl -e 'print 1' f", vec![]),
        ("dd if=a of=f bs=1", vec!["f"]),
        ("cp a f", vec!["f"]),
        ("cp a b dir/", vec!["dir/a", "dir/b"]),
        ("cp -t dir a", vec!["dir/a"]),
        ("mv a f", vec!["a", "f"]),
        ("install -m 600 a f", vec!["f"]),
        ("ln -sf a f", vec!["f"]),
        ("touch -d now f", vec!["f"]),
        ("truncate -s 0 f", vec!["f"]),
        ("rm -rf f", vec!["f"]),
        ("curl -o f http://x", vec!["f"]),
        ("sudo -u x tee f", vec!["f"]),
        ("env A=1 tee f", vec!["f"]),
        ("A=1 nohup /usr/bin/tee f", vec!["f"]),
        ("timeout -k 1 5 tee f", vec!["f"]),
        ("git commit -m 'rm f'", vec![]),
        ("pan-tools state patch x", vec![]),
    ] {
        assert_eq!(files(command), want, "{command}");
    }
    let maybe = found("cp /tmp/state.md .planning");
    assert!(
        maybe
            .writes
            .iter()
            .any(|write| write.maybe && write.path == "/p/.planning/state.md")
    );
}

#[test]
fn the_body_of_a_here_document_goes_to_its_file() {
    for (command, body, file) in [
        ("cat > f <<'E'\n$(x > g)\nE\necho", "$(x > g)\n", "f"),
        ("cat <<E > f\na\nE", "a\n", "f"),
        ("cat <<-E >f\n\ta\n\tE\n", "\ta\n", "f"),
        ("tee f <<\"E\" && echo\nb\nE", "b\n", "f"),
        ("cat > f <<E\nnever ends", "never ends", "f"),
    ] {
        let found = found(command);
        assert_eq!(found.bodies.len(), 1, "{command}");
        let first = &found.bodies[0];
        assert_eq!(&command[first.range.clone()], body, "{command}");
        let write = &found.writes[first.write.unwrap()];
        assert_eq!(write.path, format!("/p/{file}"), "{command}");
    }
    let two = "cat <<A > f; cat <<B > g\na\nA\nb\nB\nrm h";
    let found = found(two);
    let texts: Vec<_> = found
        .bodies
        .iter()
        .map(|body| &two[body.range.clone()])
        .collect();
    assert_eq!(texts, ["a\n", "b\n"]);
    assert_eq!(files(two), ["f", "g", "h"]);
    assert_eq!(files("cat <<E\n$(echo > f)\nE"), ["f"]);
    assert!(files("cat <<'E'\n$(echo > f)\nE").is_empty());
}

#[test]
fn scripts_and_patches_inside_are_handed_on() {
    let inner = found("cd sub && bash -lc \"echo a > f\"").inner;
    assert_eq!(inner[0].text, "echo a > f");
    assert_eq!(inner[0].folder.as_deref(), Some("/p/sub"));
    assert_eq!(found("sh <<'E'\nrm f\nE").bodies[0].usage, Use::Script);
    assert_eq!(
        found("bash x.sh <<'E'\nrm f\nE").bodies[0].usage,
        Use::Content
    );
    assert_eq!(found("bash <<< 'rm f'").inner[0].text, "rm f");
    assert_eq!(found("echo `rm f`").inner[0].text, "rm f");
    let patch = "apply_patch <<'P'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nP\ncurl x";
    assert_eq!(found(patch).bodies[0].usage, Use::Patch);
    let nested =
        "apply_patch \"$(cat <<'P'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nP\n)\"";
    assert_eq!(found(nested).bodies[0].usage, Use::Patch);
    let given = found("apply_patch '*** Begin Patch\n*** Delete File: a\n*** End Patch'").inner;
    assert_eq!(given[0].usage, Use::Patch);
}

#[test]
fn words_put_together_are_told() {
    let joined = found("echo ab'cd'\"ef\" > f").joined;
    assert_eq!(joined[0].0, "abcdef");
    assert!(found("echo 'plain' \"quoted text\" word").joined.is_empty());
}

#[test]
fn powershell_is_read_its_own_way() {
    let files = |command: &str| -> Vec<String> {
        let start = Start {
            folder: Some("/p".into()),
            home: Some("/h"),
        };
        read(command, Language::PowerShell, &start)
            .writes
            .into_iter()
            .filter(|write| write.known && !write.maybe)
            .map(|write| write.path)
            .collect()
    };
    for (command, want) in [
        ("Set-Content -Path f -Value 'x'", vec!["/p/f"]),
        ("Set-Content f 'x'", vec!["/p/f"]),
        ("'x' | Out-File -FilePath sub\\f -Append", vec!["/p/sub/f"]),
        ("Add-Content -Force -LiteralPath \"f\" x", vec!["/p/f"]),
        ("echo x > f", vec!["/p/f"]),
        ("echo x > $null", vec![]),
        ("@'\n> g\n'@ | Set-Content f", vec!["/p/f"]),
        ("Copy-Item a b", vec!["/p/b"]),
        ("cd sub; ni f", vec!["/p/sub/f"]),
        ("Get-Content f", vec![]),
    ] {
        assert_eq!(files(command), want, "{command}");
    }
}

/// A reader that goes over a text more than once would need minutes for these.
#[test]
fn hostile_commands_take_linear_time() {
    let started = std::time::Instant::now();
    for piece in [
        "(",
        "$(",
        "`",
        "\"$(",
        "<<E\n",
        "<<E ",
        "${",
        "'",
        "\"",
        "\\",
        ">",
        "a=$a$a;",
        "[[",
        "$((",
        "<(",
        "x=xxxxxxxxxxxxxxxx;x=$x$x;",
        "&>",
        "sh -c '",
        ")",
        "a 'b'c ",
    ] {
        let _ = found(&piece.repeat(200_000));
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

proptest! {
    #[test]
    fn no_command_makes_it_panic(command in r#"[a-c é'"\\$(){}<>|&;`\n\t#=~*@!-]{0,80}"#) {
        for language in [Language::Posix, Language::PowerShell] {
            let start = Start { folder: None, home: None };
            let found = read(&command, language, &start);
            for body in &found.bodies {
                prop_assert!(command.get(body.range.clone()).is_some());
            }
        }
    }
}
