import type { ExecutionContext } from 'ava';
import type { z } from 'zod';
import { type ErrorCode, errorCodes, errorEnvelope, errorRemedies } from '../../contract/base/errors.ts';
import { DescribedWire } from '../http/described-wire.ts';
import type { Question, WireAnswer } from './wire-question.ts';

const jsonFields = ['content-type', 'content-length', 'cache-control', 'x-content-type-options', 'x-request-id'];
/** Headers that the server libraries add. */
const transportFields = ['connection', 'keep-alive', 'date', 'uwebsockets'];

let description: Promise<DescribedWire> | undefined;

/** The checks of every answer of a host, however its client reaches it. */
export abstract class CheckedWire {
  /** Sends a request and gives the whole answer. */
  protected abstract send(method: string, path: string, question: Question): Promise<WireAnswer>;

  /** Asks the host, and holds its answer against the description of the wire. */
  async ask(method: string, path: string, question: Question = {}): Promise<WireAnswer> {
    description ??= DescribedWire.read();
    const answer = await this.send(method, path, question);
    (await description).check(method, path, question, answer);
    return answer;
  }

  get(path: string, question?: Question): Promise<WireAnswer> {
    return this.ask('GET', path, question);
  }

  post(path: string, json: unknown): Promise<WireAnswer> {
    return this.ask('POST', path, { json });
  }

  /** Checks a JSON answer to the last field and gives its value; `others` are the fields it has beside the common. */
  json(t: ExecutionContext, { status, headers, body }: WireAnswer, others: readonly string[] = []): unknown {
    const text = body.toString('utf8');
    const own = Object.keys(headers).filter((name) => !transportFields.includes(name));
    t.deepEqual(own.sort(), [...jsonFields, ...others].sort(), text);
    t.is(headers['content-type'], 'application/json; charset=utf-8');
    t.is(headers['content-length'], String(body.length));
    t.is(headers['cache-control'], 'no-store');
    t.is(headers['x-content-type-options'], 'nosniff');
    const value: unknown = JSON.parse(text);
    t.is(text, `${JSON.stringify(value)}\n`, `${status}`);
    return value;
  }

  /**
   * Expects a refusal with this code, whose message ends with what can be done. What
   * happened, which is the message without that.
   */
  refused(t: ExecutionContext, answer: WireAnswer, code: ErrorCode, others: readonly string[] = []): string {
    const { error } = errorEnvelope.parse(this.json(t, answer, others));
    t.is(error.code, code, error.message);
    t.is(answer.status, errorCodes[code]);
    const remedy = `; ${errorRemedies[code]}`;
    t.true(error.message.endsWith(remedy), error.message);
    return error.message.slice(0, -remedy.length);
  }

  /** Expects an answer with this status whose body fits the schema without a key too many. */
  granted<Body>(
    t: ExecutionContext,
    answer: WireAnswer,
    status: number,
    schema: z.ZodType<Body>,
    others: readonly string[] = [],
  ): Body {
    t.is(answer.status, status, answer.body.toString('utf8', 0, 300));
    return schema.parse(this.json(t, answer, others));
  }
}
