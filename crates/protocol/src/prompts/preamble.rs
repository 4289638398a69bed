//! The description of the protocol for an agent, by its role and in the run's language, with its key in the examples.
//!
//! It has only the messages that make sense for the role and the team: no calls in a team of one. Only the orchestrator's
//! preamble mentions NEED_HUMAN: only the orchestrator talks to the user.

use domain::{Locale, PhaseNumber, Role, SessionKey, TaskId, TeamMember};

use super::{
    examples::EXAMPLE_TASK,
    task::phase_name,
    templates::{PromptTemplate, TemplateValues, render_template},
};

/// Limits the team in a preamble, which every agent pays for.
const TEAM_MAX: usize = 12;

/// The recipient of a preamble.
#[derive(Debug, Clone, Copy)]
pub struct PreambleOptions<'a> {
    pub role: Role,
    pub locale: Locale,
    pub key: &'a SessionKey,
    /// The agent's task, if it has one.
    pub task: Option<&'a TaskId>,
    pub project: &'a str,
    /// The phase of the agent's work and its title, if it has one.
    pub phase: Option<(PhaseNumber, &'a str)>,
    /// The other members of the team.
    pub team: &'a [TeamMember],
}

/// Returns the description of the protocol for an agent.
///
/// ```
/// use domain::{Locale, Role};
/// use protocol::prompts::{PreambleOptions, preamble};
///
/// let (key, role, locale) = ("k3f9".parse().unwrap(), Role::Worker, Locale::En);
/// let options = PreambleOptions { role, locale, key: &key, task: None, project: "shop", phase: None, team: &[] };
/// assert!(preamble(options).contains("`[ASK_USER k3f9]`"));
/// ```
pub fn preamble(options: PreambleOptions<'_>) -> String {
    let PreambleOptions { role, locale, key, task, project, phase, team } = options;
    let ask = TemplateValues::new().text("key", key);
    let values = TemplateValues::new()
        .text("key", key)
        .optional("team", render_team(team, locale, key))
        .text("task", task.map_or_else(|| EXAMPLE_TASK.to_owned(), TaskId::to_string))
        .text("nothing", render_template(PromptTemplate::NothingToChange, locale, &TemplateValues::new()))
        .text("project", project)
        .optional("phase_name", phase.map(|(phase, title)| phase_name(phase, Some(title))))
        .text("ask", render_template(PromptTemplate::Ask, locale, &ask));
    render_template(role_template(role), locale, &values)
}

fn role_template(role: Role) -> PromptTemplate {
    match role {
        Role::Orchestrator => PromptTemplate::RoleOrchestrator,
        Role::Operator => PromptTemplate::RoleOperator,
        Role::Worker => PromptTemplate::RoleWorker,
        Role::Tester => PromptTemplate::RoleTester,
        Role::Verifier => PromptTemplate::RoleVerifier,
        Role::Specialist => PromptTemplate::RoleSpecialist,
    }
}

/// Describes the other members of a team and how to reach them; `None` in a team of one.
fn render_team(team: &[TeamMember], locale: Locale, key: &SessionKey) -> Option<String> {
    // Specialists answer calls, so they come first: the first member is the example.
    let (specialists, others): (Vec<_>, Vec<_>) =
        team.iter().partition(|member| member.role == Role::Specialist);
    let members: Vec<&TeamMember> = specialists.into_iter().chain(others).take(TEAM_MAX).collect();
    let first = members.first()?;
    let line = |member: &&TeamMember| format!("{}: {}", member.name, role_line(member.role, locale));
    let values = TemplateValues::new()
        .items("members", members.iter().map(line))
        .text("member", &first.name)
        .text("key", key);
    Some(render_template(PromptTemplate::Team, locale, &values))
}

/// Returns what the members with a role do.
fn role_line(role: Role, locale: Locale) -> &'static str {
    let name = match role {
        Role::Orchestrator => "orchestrator: ",
        Role::Operator => "operator: ",
        Role::Worker => "worker: ",
        Role::Tester => "tester: ",
        Role::Verifier => "verifier: ",
        Role::Specialist => "specialist: ",
    };
    let lines = PromptTemplate::TeamRoles.source(locale).lines();
    lines.filter_map(|line| line.strip_prefix(name)).next().unwrap_or_default()
}
