import type { EscalationAction, InboxAction } from "~/api/generated";

/** The allowed actions that resolve an escalation, in their order. */
export const toResolutions = (actions: readonly InboxAction[]): EscalationAction[] =>
  actions.flatMap((action) => (typeof action === "object" ? [action.resolve] : []));
