//! Finds the processes that hold an end of a TCP connection of this machine.

use std::{
    fs, io,
    net::{SocketAddr, SocketAddrV4},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, sendto, socket_with,
};

/// Processes of earlier connections that are looked at first.
const RECENT_MAX: usize = 8;
/// The kernel's lists of connections. A client may use an IPv6 socket for an IPv4 address.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// Finds the processes that hold an end of a TCP connection. A browser or program opens many connections, so that it is
/// rarely necessary to search all processes.
#[derive(Default)]
pub(crate) struct ConnectionOwners {
    /// Owners of the last connections, the newest first.
    recent: Mutex<Vec<u32>>,
}

impl ConnectionOwners {
    /// Returns processes that hold the end at `own`; none if they belong to another user or hide it. If a process of an
    /// earlier connection holds it, the others are not searched.
    pub(super) fn find(&self, own: SocketAddr, peer: SocketAddr) -> Vec<u32> {
        let (SocketAddr::V4(own), SocketAddr::V4(peer)) = (own, peer) else { return Vec::new() };
        let Some(inode) = find_inode(own, peer) else { return Vec::new() };
        let file = format!("socket:[{inode}]");
        let recent = self.recent().clone();
        if let Some(pid) = recent.into_iter().find(|pid| has_file(*pid, &file)) {
            return vec![pid];
        }
        let pids: Vec<u32> = process_ids().filter(|pid| has_file(*pid, &file)).collect();
        // A connection that several processes share is searched again.
        if let [pid] = pids[..] {
            let mut recent = self.recent();
            recent.insert(0, pid);
            recent.truncate(RECENT_MAX);
        }
        pids
    }

    /// Returns whether a process holds the end at `own`.
    pub(super) fn is_held_by(&self, pid: u32, own: SocketAddr, peer: SocketAddr) -> bool {
        let (SocketAddr::V4(own), SocketAddr::V4(peer)) = (own, peer) else { return false };
        find_inode(own, peer).is_some_and(|inode| has_file(pid, &format!("socket:[{inode}]")))
    }

    fn recent(&self) -> MutexGuard<'_, Vec<u32>> {
        // The list is consistent after each step, so a poisoned lock is safe.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the inode of the socket that is bound to `own` and connected to `peer`.
fn find_inode(own: SocketAddrV4, peer: SocketAddrV4) -> Option<u64> {
    // The kernel may lack the interface that finds one socket without listing all.
    query_inode(own, peer).unwrap_or_else(|_| {
        let tables = TABLES.iter().filter_map(|table| fs::read_to_string(table).ok());
        tables.into_iter().find_map(|table| find_inode_in_table(&table, own, peer))
    })
}

/// Asks the kernel for the socket (`inet_diag_req_v2` in `linux/inet_diag.h`); `None` if there is none.
fn query_inode(own: SocketAddrV4, peer: SocketAddrV4) -> io::Result<Option<u64>> {
    const SOCK_DIAG_BY_FAMILY: u16 = 20;
    const REQUEST: u16 = 1;
    const ANY_COOKIE: [u8; 8] = [0xff; 8];
    /// Headers of a netlink message, and of a reply about a socket.
    const HEADER_BYTES: usize = 16;
    const SOCKET_BYTES: usize = 72;
    let mut request = Vec::with_capacity(HEADER_BYTES + 56);
    request.extend(u32::try_from(HEADER_BYTES + 56).unwrap_or_default().to_ne_bytes());
    request.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    request.extend(REQUEST.to_ne_bytes());
    request.extend([0; 8]);
    let (family, tcp) = (AddressFamily::INET.as_raw().to_ne_bytes()[0], 6);
    request.extend([family, tcp, 0, 0]);
    request.extend(u32::MAX.to_ne_bytes());
    request.extend(own.port().to_be_bytes());
    request.extend(peer.port().to_be_bytes());
    for address in [own, peer] {
        request.extend(address.ip().octets());
        request.extend([0; 12]);
    }
    request.extend([0; 4]);
    request.extend(ANY_COOKIE);
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, Some(netlink::SOCK_DIAG))?;
    sendto(&socket, &request, SendFlags::empty(), &netlink::SocketAddrNetlink::new(0, 0))?;
    let mut reply = [0; 512];
    // The kernel replies before `sendto` returns.
    let (length, _) = recv(&socket, &mut reply, RecvFlags::empty())?;
    let reply = &reply[..length.min(reply.len())];
    let kind = reply.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    if kind != Some(SOCK_DIAG_BY_FAMILY) {
        let code = reply.get(16..20).and_then(|bytes| bytes.try_into().ok()).map_or(0, i32::from_ne_bytes);
        let error = io::Error::from_raw_os_error(code.saturating_neg());
        return if error.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(error) };
    }
    let inode = reply.get(HEADER_BYTES + SOCKET_BYTES - 4..HEADER_BYTES + SOCKET_BYTES);
    let inode = inode.and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_ne_bytes);
    // A connection that is being closed has no inode.
    Ok(Some(u64::from(inode)).filter(|inode| *inode != 0))
}

fn find_inode_in_table(table: &str, own: SocketAddrV4, peer: SocketAddrV4) -> Option<u64> {
    let [own, peer] = [own, peer]
        .map(|address| format!("{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port()));
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let is_it = fields.next()?.ends_with(&own) && fields.next()?.ends_with(&peer);
        is_it.then(|| fields.nth(6)?.parse().ok()).flatten()
    })
}

fn process_ids() -> impl Iterator<Item = u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn has_file(pid: u32, target: &str) -> bool {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    files.into_iter().any(|file| fs::read_link(file.path()).is_ok_and(|path| path == Path::new(target)))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_process_of_a_connection_is_found() {
        let owners = ConnectionOwners::default();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (own, peer) = (client.local_addr().unwrap(), client.peer_addr().unwrap());
        assert_eq!(owners.find(own, peer), [std::process::id()]);
        assert_eq!(owners.find(own, peer), [std::process::id()], "a process of an earlier connection");
        assert!(owners.is_held_by(std::process::id(), own, peer));
        assert!(!owners.is_held_by(1, own, peer), "another process");
        let SocketAddr::V4(address) = peer else { panic!("{peer}") };
        let mapped = SocketAddr::new(address.ip().to_ipv6_mapped().into(), address.port());
        let mapped = TcpStream::connect(mapped).unwrap();
        let own = SocketAddr::new((*address.ip()).into(), mapped.local_addr().unwrap().port());
        assert_eq!(owners.find(own, peer), [std::process::id()], "an IPv6 socket");
        drop(client);
        assert_eq!(owners.find(SocketAddr::from(([127, 0, 0, 1], 1)), peer), Vec::<u32>::new());
    }

    #[test]
    fn the_kernel_and_its_lists_name_the_same_socket() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (SocketAddr::V4(own), SocketAddr::V4(peer)) =
            (client.local_addr().unwrap(), client.peer_addr().unwrap())
        else {
            panic!("no IPv4 connection")
        };
        let table = fs::read_to_string("/proc/net/tcp").unwrap();
        let inode = find_inode_in_table(&table, own, peer);
        assert!(inode.is_some());
        assert_eq!(query_inode(own, peer).unwrap(), inode);
        assert_eq!(query_inode(SocketAddrV4::new(*own.ip(), 1), peer).unwrap(), None);
    }
}
