import type { AnyEventObject } from 'xstate';
import type { OwnedIngestContext } from '../../machines/owned-ingest.ts';
import { ownedIngestMachine } from '../../machines/owned-ingest.ts';
import { type Ending, testPaths } from './path-tests.ts';
import type { Scenario } from './scenario.ts';

const input = { ingestId: 'ingest:one', uploadDueAt: 900_000 };
const media = { contentId: `sha256:${'a'.repeat(64)}`, bytes: 4096 };

const outcome = (step: string) => ({
  events: [{ producer: { kind: 'tool', id: step }, causationId: null, correlationId: null, type: step, data: {} }],
  writes: [{ put: 'record', key: step, value: { step } }],
});

const effect = (name: string, output: unknown) => ({
  input: { ingestId: input.ingestId, ...media },
  outputs: [output],
  errors: [new Error(`${name} went wrong`), `${name} threw  no\nerror`],
});

const outputs = { probe: outcome('probe'), seal: outcome('seal'), register: { label: 'a source' } };

const scenario: Scenario = {
  machine: ownedIngestMachine,
  input,
  effects: {
    probe: effect('probe', outputs.probe),
    seal: effect('seal', outputs.seal),
    register: effect('register', outputs.register),
  },
  timers: {
    uploadDeadline: {
      input: { dueAt: input.uploadDueAt },
      event: { type: 'upload.expired' },
      dueAt: () => input.uploadDueAt,
    },
  },
  outside: [
    { type: 'media.received', ...media },
    { type: 'upload.failed', message: 'the connection broke' },
    { type: 'worker.granted' },
    { type: 'ingest.cancel' },
    { type: 'supervision.exhausted', message: 'it crashed again and again' },
  ],
  distinguish: (context) => (context as OwnedIngestContext).failure?.code,
};

const emissions: Readonly<Record<string, unknown>> = {
  'xstate.done.actor.probe': { type: 'commit', ...outputs.probe },
  'xstate.done.actor.seal': { type: 'commit', ...outputs.seal },
  'xstate.done.actor.register': { type: 'source.registered', source: outputs.register },
};

const failureCodes: Readonly<Record<string, string>> = {
  'ingest.cancel': 'canceled',
  'upload.failed': 'upload_failed',
  'upload.expired': 'upload_failed',
  'xstate.error.actor.probe': 'probe_failed',
  'xstate.error.actor.seal': 'seal_failed',
  'xstate.error.actor.register': 'registration_failed',
};

const failureMessages: Readonly<Record<string, string>> = {
  'ingest.cancel': 'canceled by the client',
  'upload.expired': 'no media arrived while the upload was open',
};

/** The step that was under way is the one that failed, when the supervisor gives up. */
const exhaustedCode = (before: readonly AnyEventObject[]): string => {
  const types = before.map(({ type }) => type);
  if (types.includes('xstate.done.actor.probe')) return 'seal_failed';
  return types.includes('worker.granted') ? 'probe_failed' : 'upload_failed';
};

const messageOf = ({ type, message, error }: AnyEventObject): string =>
  failureMessages[type] ?? message ?? (error instanceof Error ? error.message : error.replace(/\s+/g, ' '));

const endingOf = (events: readonly AnyEventObject[]): Ending => {
  const last = events.at(-1) ?? { type: 'nothing' };
  const registered = last.type === 'xstate.done.actor.register';
  const code = failureCodes[last.type] ?? exhaustedCode(events.slice(0, -1));
  return {
    value: registered ? 'registered' : 'failed',
    context: {
      ...input,
      media: events.some(({ type }) => type === 'media.received') ? media : null,
      failure: registered ? null : { code, message: messageOf(last) },
    },
    emissions: events.flatMap(({ type }) => emissions[type] ?? []),
  };
};

testPaths(scenario, endingOf);
