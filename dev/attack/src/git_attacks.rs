//! Attacks of an agent with files of its repository on Jangdan's git, on other tasks, and on the user's branch.

use anyhow::Result;

use crate::{
    attack::{Attack, Guard, Outcome},
    stage::Stage,
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack {
        name: "another repository named by commondir runs a filter",
        guard: Guard::Always { control: Some(control_of_commondir) },
        play: redirect_commondir,
    },
    Attack {
        name: "a forged link of a submodule runs a filter",
        guard: Guard::Always { control: Some(control_of_submodule) },
        play: forge_submodule,
    },
    Attack {
        name: "a pipe in place of a file makes git wait",
        guard: Guard::Always { control: Some(control_of_pipe) },
        play: create_pipe,
    },
    Attack { name: "a merged script is run as set-up", guard: Guard::Sandbox, play: change_setup },
    Attack { name: "a merged script is run as check", guard: Guard::Sandbox, play: change_check },
    Attack {
        name: "a copied file follows a merged link",
        guard: Guard::Always { control: Some(control_of_copy) },
        play: copy_through_link,
    },
    Attack {
        name: "a moved branch lands unchecked work",
        guard: Guard::Always { control: Some(control_of_moved_branch) },
        play: move_branch,
    },
    Attack {
        name: "a worktree replaced by a link is committed",
        guard: Guard::Always { control: Some(control_of_replaced_worktree) },
        play: replace_worktree,
    },
];

const DONE: &str = "echo \"DONE:$JANGDAN_TASK:it is there\"";

/// A filter that leaves a trace outside, where an agent in the sandbox cannot write.
const FORGE: &str = r#"
git clone -q --bare $STAGE/project forged
printf '#!/bin/sh\necho x > %s/sprung\ncat\n' $OUT > trap.sh; chmod +x trap.sh
printf '[filter "evil"]\n\tclean = %s/trap.sh\n[core]\n\tfsmonitor = %s/trap.sh\n' $PWD $PWD >> forged/config
echo '* filter=evil' > .gitattributes
echo x > new
echo $PWD/forged > $(git rev-parse --git-dir)/commondir
"#;

fn redirect_commondir(stage: &Stage) -> Result<Outcome> {
    // Only Jangdan's git may spring the trap, so the agent writes files and ends.
    stage.create_project(&[("file", "x\n")], &format!("{FORGE}\n{DONE}"), "")?;
    stage.run_plan("# P\n\n### T1: Do it\n")?;
    Ok(Outcome::from_success(stage.is_harmed()?))
}

fn control_of_commondir(stage: &Stage) -> Result<Outcome> {
    stage.create_project(&[("file", "x\n")], "", "")?;
    stage.run_outside(&format!(
        "cd $STAGE/project && git worktree add -q $STAGE/worktree/w && cd $STAGE/worktree/w && {FORGE}\n git add -A"
    ))?;
    Ok(Outcome::from_success(stage.is_harmed()?))
}

/// Lets the link of a submodule lead to a repository of the agent, by a path that begins like an allowed one.
const FORGE_SUBMODULE: &str = r#"
git clone -q --bare $STAGE/library forged
git --git-dir=forged config core.bare false
printf '#!/bin/sh\necho x > %s/sprung\ncat\n' $OUT > trap.sh; chmod +x trap.sh
printf '[filter "evil"]\n\tclean = %s/trap.sh\n[core]\n\tfsmonitor = %s/trap.sh\n' $PWD $PWD >> forged/config
source=$STAGE/project/.git/modules/lib/worktrees
up=$(echo ${source#/} | sed 's#[^/][^/]*#..#g')
echo "gitdir: $source/$up$PWD/forged" > lib/.git
echo '* filter=evil' > lib/.gitattributes
echo changed > lib/file
"#;
const CREATE_SUBMODULE: &str = "git init -q -b main $STAGE/library; cd $STAGE/library; echo x > file; git add .; git commit -q -m x
cd $STAGE/project; git -c protocol.file.allow=always submodule -q add $STAGE/library lib; git commit -q -m lib";

fn forge_submodule(stage: &Stage) -> Result<Outcome> {
    stage.create_project(&[("file", "x\n")], &format!("{}\n{DONE}", FORGE_SUBMODULE), "")?;
    stage.run_outside(CREATE_SUBMODULE)?;
    stage.run_plan("# P\n\n### T1: Do it\n")?;
    Ok(Outcome::from_success(stage.is_harmed()?))
}

fn control_of_submodule(stage: &Stage) -> Result<Outcome> {
    stage.create_project(&[("file", "x\n")], "", "")?;
    // In a checkout, git follows the link.
    let forge = FORGE_SUBMODULE.replace("/worktrees\n", "\n");
    stage.run_outside(&format!("{CREATE_SUBMODULE}\n{forge}\ngit add -A"))?;
    Ok(Outcome::from_success(stage.is_harmed()?))
}

fn create_pipe(stage: &Stage) -> Result<Outcome> {
    let agent = format!("echo x > new; mkdir folder; mkfifo folder/.gitignore\n{DONE}");
    stage.create_project(&[("file", "x\n")], &agent, "")?;
    // The run ends in time, or the stage fails.
    stage.run_plan("# P\n\n### T1: Do it\n")?;
    Ok(Outcome::Prevented)
}

fn control_of_pipe(stage: &Stage) -> Result<Outcome> {
    stage.create_project(&[("file", "x\n")], "", "")?;
    let waits = "cd $STAGE/project; mkdir folder; mkfifo folder/.gitignore
        timeout 1 git add -A && exit 1; test $? = 124";
    Ok(Outcome::from_success(stage.run_outside(waits).is_ok()))
}

fn change_setup(stage: &Stage) -> Result<Outcome> {
    let agent = format!("echo \"echo x > $OUT/sprung\" > setup.sh\necho x > $JANGDAN_TASK\n{DONE}");
    stage.create_project(&[("setup.sh", "true\n")], &agent, "worktree.setup = ['sh ./setup.sh']")?;
    // The second worktree has what the first task merged.
    stage.run_plan("# P\n\n### T1: One\n\n### T2: Two\n- **Depends on**: T1\n")?;
    Ok(Outcome::from_success(stage.is_harmed()?))
}

fn change_check(stage: &Stage) -> Result<Outcome> {
    let agent = format!("echo \"echo x > $OUT/sprung\" > check.sh\n{DONE}");
    stage.create_project(&[("check.sh", "true\n")], &agent, "")?;
    stage.run_plan("# P\n\n### T1: One\n- **Verify**: `sh ./check.sh`\n")?;
    Ok(Outcome::from_success(stage.is_harmed()?))
}

/// The folder of the copied file, which the agent replaces by a link.
const LINKED: &str = "rm -rf conf; ln -s $OUT conf";

fn copy_through_link(stage: &Stage) -> Result<Outcome> {
    let agent = format!("if [ $JANGDAN_TASK = T1 ]; then {}; else echo x > other; fi\n{DONE}", LINKED);
    stage.create_project(
        &[("conf/kept", "x\n"), (".gitignore", "conf/there\n"), ("file", "x\n")],
        &agent,
        "worktree.copy = ['conf/there']",
    )?;
    stage.write("project/conf/there", "copied\n")?;
    stage.run_plan("# P\n\n### T1: One\n\n### T2: Two\n- **Depends on**: T1\n")?;
    Ok(Outcome::from_success(stage.is_harmed()?))
}

fn control_of_copy(stage: &Stage) -> Result<Outcome> {
    stage.run_outside(&format!("{LINKED}; echo copied > $STAGE/copied; cp $STAGE/copied conf/there"))?;
    Ok(Outcome::from_success(stage.is_harmed()?))
}

/// Adds a commit with a file to the branch of the run.
const EVIL: &str = r#"
blob=$(echo evil | git hash-object -w --stdin)
tree=$(printf '100644 blob %s\tevil\n' $blob | git mktree)
evil=$(git commit-tree $tree -p HEAD -m evil)
for branch in $(git for-each-ref --format='%(refname)' refs/heads/jangdan '*/run'); do git update-ref $branch $evil; done
for branch in $(git for-each-ref --format='%(refname)' refs/jangdan/gate); do git update-ref $branch $evil; done
"#;

fn move_branch(stage: &Stage) -> Result<Outcome> {
    stage.create_project(&[("file", "x\n")], &format!("echo x > new\n{EVIL}\n{DONE}"), "")?;
    stage.run_plan("# P\n\n### T1: One\n")?;
    stage.jangdan(&["land", "--yes"]).current_dir(stage.path("project")).output()?;
    let landed = stage.git(&["ls-tree", "--name-only", "main"])?;
    Ok(Outcome::from_success(landed.lines().any(|name| name == "evil")))
}

fn control_of_moved_branch(stage: &Stage) -> Result<Outcome> {
    stage.create_project(&[("file", "x\n")], "", "")?;
    stage.run_outside(&format!(
        "cd $STAGE/project; git branch jangdan/r/run; {EVIL}\n git merge -q jangdan/r/run"
    ))?;
    let landed = stage.git(&["ls-tree", "--name-only", "main"])?;
    Ok(Outcome::from_success(landed.lines().any(|name| name == "evil")))
}

/// Replaces a folder by a link to what the agent wants to be committed.
const REPLACE: &str = "here=$PWD; cd /; mv $here $here-moved && ln -s $OUT $here";

fn replace_worktree(stage: &Stage) -> Result<Outcome> {
    stage.create_project(&[("file", "x\n")], &format!("echo x > new\n{REPLACE}\n{DONE}"), "")?;
    stage.run_plan("# P\n\n### T1: One\n")?;
    let objects = stage.git(&["log", "--all", "--name-only", "--format="])?;
    Ok(Outcome::from_success(objects.lines().any(|name| name.ends_with("there")) || stage.is_harmed()?))
}

fn control_of_replaced_worktree(stage: &Stage) -> Result<Outcome> {
    stage.create_project(&[("file", "x\n")], "", "")?;
    stage.run_outside(&format!(
        "cd $STAGE/project; git worktree add -q $STAGE/worktree/w; cd $STAGE/worktree/w; {REPLACE}
         git --git-dir=$STAGE/project/.git --work-tree=$here add -A; git --git-dir=$STAGE/project/.git commit -q -m x"
    ))?;
    let objects = stage.git(&["log", "--all", "--name-only", "--format="])?;
    Ok(Outcome::from_success(objects.lines().any(|name| name == "there")))
}
