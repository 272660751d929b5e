//! Writers and servers of an index that are killed.

use super::*;

/// The ids that an index has, and its answer to a question.
fn of_index(rig: &Rig) -> (u64, String) {
    let info = rig.ok("index idx --info --json");
    let texts = info.out().split("\"texts\": ").nth(1).unwrap();
    let texts = texts.split([',', '\n']).next().unwrap().parse().unwrap();
    (texts, rig.ok("query idx asked.jsonl -q").out().to_owned())
}

#[test]
fn an_index_loses_nothing_when_its_writer_is_killed() {
    let mut chance = Chance(7);
    let rig = corpus();
    let first = fs::read_to_string(rig.path("in/0.jsonl")).unwrap();
    let first = first.lines().next().unwrap();
    rig.write("asked.jsonl", format!("{first}\n"));
    rig.ok("index idx in/0.jsonl --threads 2 -q");
    let mut known = of_index(&rig);
    // How long a change takes.
    let clock = Instant::now();
    rig.ok("index other in/1.jsonl --threads 2 -q");
    let time = clock.elapsed();
    let (mut done, mut undone) = (0, 0);
    for round in 0..rounds() {
        let shard = 1 + round % 3;
        let line = match round % 4 {
            0 | 1 => format!("index idx in/{shard}.jsonl --replace --threads 2 --progress none"),
            2 => "index idx --merge --progress none".to_owned(),
            _ => format!("index idx --remove-list ids-{shard} --merge --progress none"),
        };
        let texts = fs::read_to_string(rig.path(&format!("in/{shard}.jsonl"))).unwrap();
        let ids = texts
            .lines()
            .map(|line| line.split('"').nth(3).unwrap().to_owned() + "\n");
        rig.write(&format!("ids-{shard}"), ids.collect::<String>());
        let child = start(&rig, &line);
        std::thread::sleep(Duration::from_micros(
            chance.below(time.as_micros() as u64 * 5 / 4),
        ));
        signal(&child, "-KILL");
        let (by_signal, ended) = end(child);
        // It is as before the change, or as after it.
        rig.ok("index idx --check");
        let now = of_index(&rig);
        if by_signal.is_none() {
            assert_eq!(ended.code, 0, "{line}: {}", ended.stderr);
        }
        let finished = rig.command(&format!("{line} --quiet")).output().unwrap();
        assert!(finished.status.success(), "{line}");
        let after = of_index(&rig);
        assert!(
            now == known || now == after,
            "{line}\n{now:?}\n{known:?}\n{after:?}"
        );
        assert!(
            by_signal.is_some() || now == after,
            "{line}: what was acknowledged is gone"
        );
        (done, undone) = (
            done + u64::from(now == after),
            undone + u64::from(now == known),
        );
        known = after;
    }
    assert!(done > 0 && undone > 0, "{done} {undone}");
    // Nothing is left of what was interrupted.
    let info = rig.ok("index idx --info --json");
    let segments = info.out().split("\"segments\": ").nth(1).unwrap();
    let segments: usize = segments.split([',', '\n']).next().unwrap().parse().unwrap();
    let files = rig
        .files()
        .into_iter()
        .filter(|name| name.starts_with("idx/segments/"));
    assert!(files.count() <= 2 * segments);
}

#[test]
fn a_second_writer_of_an_index_is_told_who_writes() {
    let rig = corpus();
    rig.ok("index idx in/0.jsonl -q");
    let mut writer = rig
        .command("index idx - --format jsonl --replace --quiet")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let named = format!("process {}", writer.id());
    let clock = Instant::now();
    while fs::read_to_string(rig.path("idx/lock")).unwrap() != named {
        assert!(clock.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = rig.run_in("", "index idx --remove none");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains(&named), "{}", ended.stderr);
    rig.ok("index idx --info");
    drop(writer.stdin.take());
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert_eq!(rig.run_in("", "index idx --remove none").code, 0);
}

/// A server of the index, and where it listens.
#[cfg(feature = "serve")]
fn serve(rig: &Rig) -> (Child, std::net::SocketAddr) {
    use std::io::BufRead;
    let mut child = start(rig, "serve idx --address 127.0.0.1:0");
    let mut line = String::new();
    let said = child.stderr.as_mut().unwrap();
    std::io::BufReader::new(said).read_line(&mut line).unwrap();
    let address = line
        .split("http://")
        .nth(1)
        .and_then(|rest| rest.split('/').next());
    let address = address.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
    (child, address)
}

/// The status with which a server answers; none if it has gone.
#[cfg(feature = "serve")]
fn asked(address: std::net::SocketAddr, line: &str, body: &str) -> Option<u16> {
    use std::io::Write;
    let mut stream = std::net::TcpStream::connect(address).ok()?;
    let length = body.len();
    let request = format!(
        "{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

#[test]
#[cfg(feature = "serve")]
fn what_a_server_acknowledged_is_there_however_it_ends() {
    let mut chance = Chance(11);
    let rig = Rig::new();
    rig.write(
        "first.jsonl",
        "{\"id\":\"first\",\"text\":\"the first of all texts\"}\n",
    );
    rig.ok("index idx first.jsonl -q");
    // By id, whether the text is there; none if the answer was not seen.
    let mut known: BTreeMap<String, Option<bool>> = BTreeMap::new();
    let mut acknowledged = 0;
    for round in 0..rounds().div_ceil(3) {
        let (child, address) = serve(&rig);
        let clients = (0..4).map(|client| {
            std::thread::spawn(move || {
                let mut known = Vec::new();
                for number in 0.. {
                    let id = format!("{round}-{client}-{number}");
                    let text = format!("text {number} of client {client} in round {round}");
                    let body =
                        format!("{{\"texts\": [{{\"id\": \"{id}\", \"text\": \"{text}\"}}]}}");
                    let is_added = asked(address, "POST /texts", &body).map(|status| status == 201);
                    known.push((id.clone(), is_added));
                    if is_added.is_none() {
                        break;
                    }
                    if number % 3 == 2 {
                        let status = asked(address, &format!("DELETE /texts/{id}"), "");
                        known.push((id, status.map(|status| status != 204)));
                        if status.is_none() {
                            break;
                        }
                    }
                }
                known
            })
        });
        let clients: Vec<_> = clients.collect();
        std::thread::sleep(Duration::from_micros(chance.below(400_000)));
        let (how, code) = if round % 4 == 3 {
            ("-TERM", 0)
        } else {
            ("-KILL", -1)
        };
        signal(&child, how);
        let (by_signal, ended) = end(child);
        assert_eq!(
            (by_signal.is_none(), ended.code),
            (code == 0, code),
            "{}",
            ended.stderr
        );
        for client in clients {
            known.extend(client.join().unwrap());
        }
        rig.ok("index idx --check");
        let index = tegula::Index::open(rig.path("idx")).unwrap();
        for (id, is_there) in &mut known {
            let now = index.text(id).unwrap().is_some();
            acknowledged += u64::from(is_there.is_some());
            assert_eq!(is_there.unwrap_or(now), now, "{id} after {how}");
            *is_there = Some(now);
        }
        assert_eq!(
            index.len(),
            1 + known.values().filter(|known| **known == Some(true)).count()
        );
    }
    assert!(acknowledged > 0);
}
