import { Component, type ReactNode } from "react";
import { live } from "~/api/client";
import { NotLoaded } from "./lazily";
import { Problem } from "./Problem";

type Failed = { error: unknown };
type Props = {
  children: ReactNode;
  /** What the children are about: with another one they are tried anew. */
  of?: unknown;
  /** What stands there instead; without it what went wrong, and a button to try again. */
  instead?: (failed: Failed, retry: () => void) => ReactNode;
  onFailed?: (failed: Failed) => void;
};

/** Keeps what went wrong in a part of the page to that part. What could not be fetched comes when the server is back. */
export class Boundary extends Component<Props, { failed: Failed | null }> {
  static getDerivedStateFromError = (error: unknown) => ({ failed: { error } });

  override state: { failed: Failed | null } = { failed: null };
  #stop: (() => void) | undefined;

  override componentDidMount(): void {
    this.#stop = live.subscribe(() => {
      if (live.state.type === "open" && this.state.failed?.error instanceof NotLoaded) this.retry();
    });
  }

  override componentDidUpdate(before: Props): void {
    if (before.of !== this.props.of && this.state.failed) this.retry();
  }

  override componentWillUnmount(): void {
    this.#stop?.();
  }

  override componentDidCatch(error: unknown): void {
    this.props.onFailed?.({ error });
  }

  retry = (): void => {
    const error = this.state.failed?.error;
    if (error instanceof NotLoaded) error.again();
    this.setState({ failed: null });
  };

  override render(): ReactNode {
    const { failed } = this.state;
    if (!failed) return this.props.children;
    if (this.props.instead) return this.props.instead(failed, this.retry);
    return <Problem error={failed.error} retry={this.retry} />;
  }
}
