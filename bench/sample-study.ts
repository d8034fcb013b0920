import { randomUUID } from 'node:crypto';
import type { Range } from '../contract/base/grammar.ts';
import type { Client } from './client.ts';

/** The request that studies the whole sample. `attempt` asks for an attempt of its own. */
export async function sampleRequest(client: Client, attempt?: string): Promise<object> {
  const { sourceSessions } = (await client.read('/v1/source-sessions')) as {
    sourceSessions?: readonly { sourceSessionId: string; sourceRevisionId: string; durationMs: number }[];
  };
  const [sample] = sourceSessions ?? [];
  if (sample === undefined) throw new Error('the host has no sample');
  return {
    sourceSessionId: sample.sourceSessionId,
    sourceRevisionId: sample.sourceRevisionId,
    range: { startMs: 0, endMs: sample.durationMs },
    requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null },
    targetLanguage: 'en',
    selectedLanguagePackId: null,
    outputDepth: 'evidence',
    ...(attempt === undefined ? {} : { clientRequestId: attempt }),
  };
}

/** Starts a study and follows its journal by long polls to the end, as a client does. Returns the runtime's id. */
export async function runStudy(client: Client, request: object): Promise<string> {
  const { runtimeId } = await client.post('/v1/runtime-starts', request);
  let after = 0;
  for (;;) {
    const page = await client.read(`/v1/runtimes/${runtimeId}/events?after=${after}&limit=200&wait=8000`);
    after = Number(page.nextCursor);
    if (page.terminal !== true || page.reachedHead !== true) continue;
    if (page.lifecycle !== 'terminal')
      throw new Error(`the study ended as ${page.lifecycle}: ${JSON.stringify(page.reason)}`);
    return String(runtimeId);
  }
}

/** The request for a new study of the sample, or of a range of it, which shares no attempt with an earlier one. */
export async function newAttempt(client: Client, range?: Range): Promise<object> {
  const whole = await sampleRequest(client, `bench-${randomUUID()}`);
  return range === undefined ? whole : { ...whole, range };
}
