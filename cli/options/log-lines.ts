/** How the host writes what it says on stderr: lines for people, or one JSON document a line. */
export type LogFormat = 'text' | 'json';

/** `fatal` ends the process. */
export type LogLevel = 'info' | 'fatal';

/** One line of a log, without its newline. Line breaks inside a JSON message are escaped, so that a stack stays one document. */
export function logLine(format: LogFormat, level: LogLevel, message: string, now: number): string {
  if (format === 'text') return message;
  return JSON.stringify({ time: new Date(now).toISOString(), level, pid: process.pid, message });
}
