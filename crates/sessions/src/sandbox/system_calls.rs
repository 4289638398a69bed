//! The filter of system calls, for what Landlock does not cover: limits of other processes, extended attributes, typing
//! into terminals, keys of the user, set-user-ID files, and parts of the kernel that no tool of a build needs.
//!
//! A filter sees numbers, not paths. Modes, owners and times of files are not filtered, because builds set them.

use std::{collections::BTreeMap, env, fs};

use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// Lists the actions that the kernel supports.
const ACTIONS_FILE: &str = "/proc/sys/kernel/seccomp/actions_avail";

/// Set-user-ID: with it, a program of a sandboxed root would make every user of the machine root.
const SET_USER_ID: u64 = 0o4000;

/// Requests that type into a terminal, or change what its device does.
const TERMINAL_REQUESTS: &[u64] = &[0x5412, 0x541c, 0x541d, 0x5423];

/// Refused as by a kernel without the function, so that programs use another way. `clone3` is one of them because its flags
/// cannot be seen; the C library uses `clone` then.
const ABSENT: &[i64] = &[
    libc::SYS_clone3,
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
];
/// Numbers that the C library does not name yet; they are the same on all processors.
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_OPEN_TREE_ATTR: i64 = 467;
const SYS_FILE_SETATTR: i64 = 469;
const SYS_FCHMODAT2: i64 = 452;

/// Refused as by a file system without extended attributes, which copying programs accept.
const ATTRIBUTES: &[i64] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// Parts of the kernel that change the machine, most of them also behind capabilities that the sandbox drops.
const ADMINISTRATION: &[i64] = &[
    libc::SYS_bpf,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_pivot_root,
    libc::SYS_reboot,
    libc::SYS_setns,
    libc::SYS_umount2,
    libc::SYS_userfaultfd,
];

/// Whether this kernel and processor support the filter.
pub(super) fn is_supported() -> bool {
    let actions = fs::read_to_string(ACTIONS_FILE).unwrap_or_default();
    actions.split_whitespace().any(|action| action == "errno")
        && TargetArch::try_from(env::consts::ARCH).is_ok()
}

/// Applies the filter to this process and all its future descendants, irrevocably.
pub(super) fn filter_system_calls() -> Result<(), Error> {
    let always = |numbers: &[i64]| numbers.iter().map(|number| (*number, Vec::new())).collect();
    install(always(ABSENT), libc::ENOSYS)?;
    install(always(ATTRIBUTES), libc::EOPNOTSUPP)?;
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> = always(ADMINISTRATION);
    let has_flag = |argument, flag| condition(argument, SeccompCmpOp::MaskedEq(flag), flag);
    // Limits of this process itself are set as those of process 0. Limits of others may be read.
    let is_other = condition(0, SeccompCmpOp::Ne, 0)?;
    let has_limit = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    refused.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![is_other, has_limit])?]);
    let requests = TERMINAL_REQUESTS.iter().map(|request| condition(1, SeccompCmpOp::Eq, *request));
    let requests = requests.map(|request| Ok(SeccompRule::new(vec![request?])?));
    refused.insert(libc::SYS_ioctl, requests.collect::<Result<_, Error>>()?);
    // A new user namespace has all capabilities, with which more of the kernel can be attacked.
    let new_user = u64::from(libc::CLONE_NEWUSER.cast_unsigned());
    for number in [libc::SYS_clone, libc::SYS_unshare] {
        refused.insert(number, vec![SeccompRule::new(vec![has_flag(0, new_user)?])?]);
    }
    for (number, argument) in [(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (SYS_FCHMODAT2, 2)] {
        refused.insert(number, vec![SeccompRule::new(vec![has_flag(argument, SET_USER_ID)?])?]);
    }
    #[cfg(target_arch = "x86_64")]
    refused.insert(libc::SYS_chmod, vec![SeccompRule::new(vec![has_flag(1, SET_USER_ID)?])?]);
    install(refused, libc::EPERM)
}

/// Compares the lower half of an argument, which is all that the kernel uses of flags, modes and process ids.
fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?)
}

/// Lets these system calls fail with an error number. A program for another processor architecture, such as one of 32 bits,
/// is killed at its first system call: its numbers differ.
fn install(mut rules: BTreeMap<i64, Vec<SeccompRule>>, error: i32) -> Result<(), Error> {
    if cfg!(target_arch = "x86_64") {
        /// Marks system calls of the x32 interface, which have the same architecture.
        const X32: i64 = 0x4000_0000;
        let same: Vec<_> = rules.iter().map(|(number, rules)| (number | X32, rules.clone())).collect();
        rules.extend(same);
    }
    let action = SeccompAction::Errno(error.cast_unsigned());
    let architecture = TargetArch::try_from(env::consts::ARCH)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, architecture)?;
    apply_filter(&BpfProgram::try_from(filter)?)
}
