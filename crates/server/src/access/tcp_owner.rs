//! Finds the processes that hold an end of a TCP connection of this machine.

use std::{fs, net::SocketAddr, path::Path};

/// The kernel's lists of connections. A client may use an IPv6 socket for an IPv4 address.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// Returns the processes that hold the end at `own`; none if they belong to another user or hide it.
pub(super) fn socket_owners(own: SocketAddr, peer: SocketAddr) -> Vec<u32> {
    let (SocketAddr::V4(own), SocketAddr::V4(peer)) = (own, peer) else { return Vec::new() };
    let [own, peer] = [own, peer]
        .map(|address| format!("{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port()));
    let tables = TABLES.iter().filter_map(|table| fs::read_to_string(table).ok());
    match tables.into_iter().find_map(|table| find_inode(&table, &own, &peer)) {
        Some(inode) => processes_with_file(&format!("socket:[{inode}]")),
        None => Vec::new(),
    }
}

/// Returns the inode of the socket that is bound to `own` and connected to `peer`.
fn find_inode(table: &str, own: &str, peer: &str) -> Option<u64> {
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let is_it = fields.next()?.ends_with(own) && fields.next()?.ends_with(peer);
        is_it.then(|| fields.nth(6)?.parse().ok()).flatten()
    })
}

fn processes_with_file(target: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        files.into_iter().any(|file| fs::read_link(file.path()).is_ok_and(|path| path == Path::new(target)))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_process_of_a_connection_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (own, peer) = (client.local_addr().unwrap(), client.peer_addr().unwrap());
        assert_eq!(socket_owners(own, peer), [std::process::id()]);
        let SocketAddr::V4(address) = peer else { panic!("{peer}") };
        let mapped = SocketAddr::new(address.ip().to_ipv6_mapped().into(), address.port());
        let mapped = TcpStream::connect(mapped).unwrap();
        let own = SocketAddr::new((*address.ip()).into(), mapped.local_addr().unwrap().port());
        assert_eq!(socket_owners(own, peer), [std::process::id()], "an IPv6 socket");
        drop(client);
        assert_eq!(socket_owners(SocketAddr::from(([127, 0, 0, 1], 1)), peer), Vec::<u32>::new());
    }
}
