import type { AnyEventObject } from 'xstate';
import type { VideohostIngestContext } from '../../machines/videohost-ingest.ts';
import { videohostIngestMachine } from '../../machines/videohost-ingest.ts';
import { type Ending, testPaths } from './path-tests.ts';
import type { Scenario } from './scenario.ts';

const input = { ingestId: 'ingest:one' };
const media = { contentId: `sha256:${'a'.repeat(64)}`, bytes: 4096 };

const outcome = (step: string) => ({
  events: [{ producer: { kind: 'tool', id: step }, causationId: null, correlationId: null, type: step, data: {} }],
  writes: [{ put: 'record', key: step, value: { step } }],
});

const effect = (name: string, given: object, output: unknown) => ({
  input: given,
  outputs: [output],
  errors: [new Error(`${name} went wrong`), `${name} threw  no\nerror`],
});

const outputs = {
  resolve: outcome('resolve'),
  download: { ...outcome('download'), media },
  probe: outcome('probe'),
  seal: outcome('seal'),
  register: { label: 'a source' },
};

const scenario: Scenario = {
  machine: videohostIngestMachine,
  input,
  effects: {
    resolve: effect('resolve', input, outputs.resolve),
    download: effect('download', input, outputs.download),
    probe: effect('probe', { ...input, ...media }, outputs.probe),
    seal: effect('seal', { ...input, ...media }, outputs.seal),
    register: effect('register', { ...input, ...media }, outputs.register),
  },
  timers: {},
  outside: [
    { type: 'worker.granted' },
    { type: 'ingest.cancel' },
    { type: 'supervision.exhausted', message: 'it crashed again and again' },
  ],
  distinguish: (context) => (context as VideohostIngestContext).failure?.code,
};

const emissions: Readonly<Record<string, unknown>> = {
  'xstate.done.actor.resolve': { type: 'commit', ...outputs.resolve },
  'xstate.done.actor.download': { type: 'commit', ...outcome('download') },
  'xstate.done.actor.probe': { type: 'commit', ...outputs.probe },
  'xstate.done.actor.seal': { type: 'commit', ...outputs.seal },
  'xstate.done.actor.register': { type: 'source.registered', source: outputs.register },
};

const failureCodes: Readonly<Record<string, string>> = {
  'ingest.cancel': 'canceled',
  'xstate.error.actor.resolve': 'resolution_failed',
  'xstate.error.actor.download': 'download_failed',
  'xstate.error.actor.probe': 'probe_failed',
  'xstate.error.actor.seal': 'seal_failed',
  'xstate.error.actor.register': 'registration_failed',
};

/** The step that was under way is the one that failed, when the supervisor gives up. */
const exhaustedCode = (before: readonly AnyEventObject[]): string => {
  const types = before.map(({ type }) => type);
  if (types.includes('xstate.done.actor.probe')) return 'seal_failed';
  if (types.includes('xstate.done.actor.download')) return 'probe_failed';
  return types.includes('xstate.done.actor.resolve') ? 'download_failed' : 'resolution_failed';
};

const messageOf = ({ type, message, error }: AnyEventObject): string => {
  if (type === 'ingest.cancel') return 'canceled by the client';
  return message ?? (error instanceof Error ? error.message : error.replace(/\s+/g, ' '));
};

const endingOf = (events: readonly AnyEventObject[]): Ending => {
  const last = events.at(-1) ?? { type: 'nothing' };
  const registered = last.type === 'xstate.done.actor.register';
  const code = failureCodes[last.type] ?? exhaustedCode(events.slice(0, -1));
  return {
    value: registered ? 'registered' : 'failed',
    context: {
      ...input,
      media: events.some(({ type }) => type === 'xstate.done.actor.download') ? media : null,
      failure: registered ? null : { code, message: messageOf(last) },
    },
    emissions: events.flatMap(({ type }) => emissions[type] ?? []),
  };
};

testPaths(scenario, endingOf);
