import { Component, type ReactNode } from "react";
import { live } from "~/api/client";
import { ErrorMessage } from "./ErrorMessage";
import { ChunkLoadError } from "./lazyWithRetry";

type CaughtError = { error: unknown };
type Props = {
  children: ReactNode;
  /** Identifies the content: if it changes, the children are rendered again. */
  of?: unknown;
  /** Rendered in place of the children; by default the error with a button to retry. */
  fallback?: (caught: CaughtError, retry: () => void) => ReactNode;
  onFailed?: (caught: CaughtError) => void;
};

/** Limits an error to one part of the page. A part that could not be loaded is retried when the server is back. */
export class ErrorBoundary extends Component<Props, { caught: CaughtError | null }> {
  static getDerivedStateFromError = (error: unknown) => ({ caught: { error } });

  override state: { caught: CaughtError | null } = { caught: null };
  #stop: (() => void) | undefined;

  override componentDidMount(): void {
    this.#stop = live.subscribe(() => {
      if (live.state.type === "open" && this.state.caught?.error instanceof ChunkLoadError) this.retry();
    });
  }

  override componentDidUpdate(before: Props): void {
    if (before.of !== this.props.of && this.state.caught) this.retry();
  }

  override componentWillUnmount(): void {
    this.#stop?.();
  }

  override componentDidCatch(error: unknown): void {
    this.props.onFailed?.({ error });
  }

  retry = (): void => {
    const error = this.state.caught?.error;
    if (error instanceof ChunkLoadError) error.reset();
    this.setState({ caught: null });
  };

  override render(): ReactNode {
    const { caught } = this.state;
    if (!caught) return this.props.children;
    if (this.props.fallback) return this.props.fallback(caught, this.retry);
    return <ErrorMessage error={caught.error} retry={this.retry} />;
  }
}
