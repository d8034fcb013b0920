import type { Range } from '../../contract/base/grammar.ts';

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** A line of a label track of Audacity: start, end and text in tabs, in seconds. */
export const labelLineOf = ({ startMs, endMs }: Range, text: string): string =>
  `${seconds(startMs)}\t${seconds(endMs)}\t${text}\n`;

// A table is opened by programs that take a cell with one of these at its start for a formula (OWASP, CSV Injection).
const FORMULA = /^[=+\-@]/;

/** A cell of a table (RFC 4180) that holds a text from outside the program. */
export const textCell = (text: string): string => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
