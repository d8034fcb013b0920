import { AnswerLate, HostError, HostUnreachable, NothingYet } from '../../client/host-error.ts';
import { toolRemedyOf } from './tool-remedies.ts';

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
    const { message, retryable } = error;
    const [code, hint] = error instanceof HostError ? [error.code, toolRemedyOf(error)] : [error.name, error.hint];
    return { content: [{ type: 'text', text: JSON.stringify({ code, message, hint, retryable }) }], isError: true };
  }
}
