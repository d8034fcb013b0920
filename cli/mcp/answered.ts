import { AnswerLate, HostError, HostUnreachable, NothingYet } from '../../client/host-error.ts';

/** What an agent gets from a tool. */
export interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError?: boolean;
}

/** Answers with JSON; a refusal of the host is an answer too, with what can be done. */
export async function answered(ask: () => Promise<unknown>): Promise<ToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await ask()) }] };
  } catch (error) {
    const isUnanswered = error instanceof HostUnreachable || error instanceof AnswerLate;
    if (!(error instanceof HostError || isUnanswered || error instanceof NothingYet)) throw error;
    const { message, hint, retryable } = error;
    const code = error instanceof HostError ? error.code : error.name;
    return { content: [{ type: 'text', text: JSON.stringify({ code, message, hint, retryable }) }], isError: true };
  }
}
