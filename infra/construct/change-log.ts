import type { SharedProps } from './service-function.ts';

/**
 * The variables of the functions that write and read the change log. It is written if something reads it: subscriptions, the event
 * bus, or people who asked for the history.
 */
export function createLogVariables({ maxStreams, events, historyDays }: SharedProps): Record<string, string> {
  const isRead = maxStreams !== 0 || events || historyDays !== undefined;
  return {
    ...(isRead ? {} : { CHANGE_LOG: 'off' }),
    ...(historyDays === undefined ? {} : { HISTORY_DAYS: String(historyDays) }),
  };
}
