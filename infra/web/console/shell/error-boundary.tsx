import { Component, type ReactNode } from 'react';
import { FatalError } from './fatal-error.tsx';

/** Without it, React would leave an empty page after an error of a component. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError = (error: Error) => ({ error });

  override render(): ReactNode {
    const { error } = this.state;
    return error ? <FatalError error={error} /> : this.props.children;
  }
}
