import { AnswerLate, HostError, HostUnreachable, NothingYet } from '../../client/host-error.ts';
import { readersRemedy } from '../../contract/causes/refusals.ts';
import { refusalCauseOf } from '../../contract/causes/stored-failures.ts';
import { causeText } from '../../contract/causes/wording.ts';
import { failureLine, StartError } from '../../options/failures.ts';
import { StartRefused } from '../terminal/own-host.ts';
import { NoHost } from '../terminal/running-host.ts';

/** The most tokens of one answer, its text and its structured content counted both. Known clients refuse answers above 25,000. */
export const maximumAnswerTokens = 20_000;

/** What an answer has around its text and its structured content. */
const envelopeTokens = 100;

const runs = /[A-Za-z]+|[0-9]+|[\t-~]|[^\t-~]/gu;

/** Tokens of one character outside ASCII: at least what the two encodings need for random letters of its script. */
function wideTokens(codePoint: number): number {
  if (codePoint < 0x530) return 1.5;
  if (codePoint < 0x1100) return 2;
  return codePoint >= 0x2000 && codePoint <= 0xffff ? 2.25 : 3;
}

/**
 * At most so many tokens of a text: more than cl100k_base and o200k_base make of it. Words, numbers and signs count by their
 * lengths, and other scripts by character. The weights are of random text of each script, so that no sentence is above them.
 */
export function tokensAtMost(text: string): number {
  let tokens = 0;
  for (const [run] of text.matchAll(runs)) {
    const first = run.codePointAt(0) ?? 0;
    if (first > 0x7e) tokens += wideTokens(first);
    else if (/^[A-Za-z]/.test(run)) tokens += run.length <= 2 ? 1 : 1 + Math.ceil((run.length - 2) / 3);
    else if (/^[0-9]/.test(run)) tokens += Math.ceil(run.length / 3);
    else tokens += /[ "{}[\]:,\\]/.test(run) ? 0.6 : 1;
  }
  return Math.ceil(tokens);
}

/** The tokens of a part of an answer, which has it as text and as data. */
function partTokens(part: unknown): number {
  const text = JSON.stringify(part) ?? '';
  return tokensAtMost(text) + tokensAtMost(JSON.stringify(text));
}

const isWithinAnswer = (part: unknown): boolean => partTokens(part) + envelopeTokens <= maximumAnswerTokens;

/** The longest lists and texts, in characters, of an answer that is shortened; from one step to the next until it fits. */
const shorterSteps = [
  { items: 64, characters: 4000 },
  { items: 16, characters: 1000 },
  { items: 5, characters: 300 },
  { items: 1, characters: 80 },
] as const;

function cut(value: unknown, most: { readonly items: number; readonly characters: number }): unknown {
  if (typeof value === 'string') {
    // By code points: half of one would be no text.
    return value.length <= most.characters ? value : `${[...value].slice(0, most.characters).join('')}…`;
  }
  if (Array.isArray(value)) return value.slice(0, most.items).map((item) => cut(item, most));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each, most)]));
}

/** A part of an answer that fits into one. A longer one loses the ends of its lists and texts, and says so by `isShortened`. */
export function withinAnswer(part: object, fits: (part: object) => boolean = isWithinAnswer): object {
  if (fits(part)) return part;
  const shorter = shorterSteps.map((most) => ({ ...(cut(part, most) as object), isShortened: true }));
  return shorter.find(fits) ?? { isShortened: true };
}

/** The first of several forms of an answer that fits into one; else the last, shortened. */
export function firstWithinAnswer(forms: readonly [object, ...object[]]): object {
  return forms.find(isWithinAnswer) ?? withinAnswer(forms.at(-1) ?? forms[0]);
}

/** A part of a list, and where the next part begins; null at the end. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: number | null;
}

/**
 * As many items from a place on as one answer holds `beside` its other fields. At least one, so that a reader always moves on: one that is
 * too long alone is shortened.
 */
export function paged<Item extends object>(
  all: readonly Item[],
  from: number,
  limit: number,
  beside: object = {},
): Page<Item> {
  const room = maximumAnswerTokens - envelopeTokens - partTokens(beside);
  const items: Item[] = [];
  let tokens = 0;
  for (const item of all.slice(from, from + limit)) {
    tokens += partTokens(item);
    if (items.length > 0 && tokens > room) break;
    items.push(tokens > room ? (withinAnswer(item, (part) => partTokens(part) <= room) as Item) : item);
  }
  const next = from + items.length;
  return { items, nextCursor: next < all.length ? next : null };
}

/** A list of a host that is read again with a smaller limit until its page is within one answer. */
export async function pageWithinAnswer(limit: number, read: (limit: number) => Promise<object>): Promise<object> {
  const page = await read(limit);
  if (limit === 1 || isWithinAnswer(page)) return page;
  return pageWithinAnswer(Math.ceil(limit / 2), read);
}

/** The answer of a tool to an agent. A refusal has no structured content: it is none of the tool's answers. */
export interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** A refusal as an answer. */
export const refused = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true });

/** The remedy for a refusal, by a tool if there is one; null if none is known. */
const toolRemedyOf = ({ code, hint }: HostError): string | null => readersRemedy(code, 'agent') ?? hint;

/** Arguments that are each in their form and make no sense together. */
export class ArgumentsRefused extends Error {
  readonly retryable = false;

  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
    this.name = 'InvalidArguments';
  }
}

/** Why no host is there, as an answer; null for any other error. The next call searches again. */
function searchFailure(error: unknown) {
  const isSearch = error instanceof NoHost || error instanceof StartRefused || error instanceof StartError;
  if (!isSearch) return null;
  const [message = '', ...hints] = failureLine(error).split('; ');
  const code = error instanceof StartError ? error.code : error.name;
  return { code, message, hint: hints.length === 0 ? null : hints.join('; '), retryable: true };
}

/** A refusal of the host or of a tool, in the terms of an agent. Throws any other error. */
function refusalOf(error: unknown): object {
  const noHost = searchFailure(error);
  if (noHost !== null) return noHost;
  if (error instanceof HostError) {
    const { code, retryable } = error;
    const cause = refusalCauseOf(code, error.message);
    const words = cause === null ? null : causeText(cause, 'agent');
    return { code, message: words?.what ?? error.message, hint: words?.remedy ?? toolRemedyOf(error), retryable };
  }
  const isOfClient = error instanceof HostUnreachable || error instanceof AnswerLate || error instanceof NothingYet;
  if (!(isOfClient || error instanceof ArgumentsRefused)) throw error;
  const { name: code, message, hint, retryable } = error;
  return { code, message, hint, retryable };
}

/** Answers with JSON, as text and as data. A refusal of the host is an answer too, with what can be done. */
export async function answered(ask: () => Promise<object>): Promise<ToolResult> {
  try {
    const answer = withinAnswer(await ask());
    // What the wire leaves out is left out of both.
    const text = JSON.stringify(answer);
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
  } catch (error) {
    return refused(JSON.stringify(withinAnswer(refusalOf(error))));
  }
}
