import { type DoneActorEvent, type ErrorActorEvent, fromPromise } from 'xstate';
import { type Failure, failureMessage } from '../contract/base/errors.ts';
import type { RegisteredSource } from '../contract/sources/source-session.ts';
import { type CommitEmission, commitOutcome, type EffectOutcome, notProvided, thrownMessage } from './emission.ts';

/** Media in the object store that an ingest holds. */
export interface IngestMedia {
  readonly contentId: string;
  readonly bytes: number;
}

/** The input of the effects over media. */
export interface MediaInput extends IngestMedia {
  readonly ingestId: string;
}

/** The source joins the registry in the commit of the snapshot that says `registered`. */
interface SourceRegisteredEmission {
  readonly type: 'source.registered';
  readonly source: RegisteredSource;
}

export type IngestEmission = CommitEmission | SourceRegisteredEmission;

/** How the steps fail that every ingest ends with. */
export type TailFailureCode = 'probe_failed' | 'seal_failed' | 'registration_failed' | 'canceled';

export interface IngestContext<Code extends string = string> {
  readonly ingestId: string;
  readonly media: IngestMedia | null;
  readonly failure: (Failure & { readonly code: Code }) | null;
}

/** The events of every ingest while it is open. */
export type IngestEvent =
  | { readonly type: 'worker.granted' }
  | { readonly type: 'ingest.cancel' }
  | { readonly type: 'supervision.exhausted'; readonly message: string };

/** The effects of the tail, to be provided. */
export const tailEffects = {
  probe: fromPromise<EffectOutcome, MediaInput>(notProvided('probe')),
  seal: fromPromise<EffectOutcome, MediaInput>(notProvided('seal')),
  register: fromPromise<RegisteredSource, MediaInput>(notProvided('register')),
};

/** The emission of an ingest with its last state. */
export const sourceRegistered = (source: RegisteredSource): SourceRegisteredEmission => ({
  type: 'source.registered',
  source,
});

/** Why an ingest ended; the first reason stays. */
export const failureOf = <Code extends string>(
  { failure }: IngestContext<Code>,
  { code, message }: { readonly code: Code; readonly message: string },
): IngestContext<Code>['failure'] => failure ?? { code, message: failureMessage(message) };

/** The states of the tail come after the media: a row that says otherwise is damaged, and its actor fails. */
function mediaInput({ context: { ingestId, media } }: { context: IngestContext }): MediaInput {
  if (media === null) throw new Error('the ingest has no media');
  return { ingestId, contentId: media.contentId, bytes: media.bytes };
}

/** Ends an ingest whose effect rejected. */
export const failsAs = <const Code extends string>(code: Code) =>
  ({
    type: 'fail',
    params: ({ event }: { event: ErrorActorEvent }) => ({ code, message: thrownMessage(event.error) }),
  }) as const;

/** Ends an ingest for a reason that came with an event, such as that the supervisor gave it up. */
export const givenUpAs = <const Code extends string>(code: Code) =>
  ({
    target: 'failed',
    actions: {
      type: 'fail',
      params: ({ event }: { event: { readonly message: string } }) => ({ code, message: event.message }),
    },
  }) as const;

/** A client may cancel an ingest until it has ended. */
export const cancelable = {
  'ingest.cancel': {
    target: '.failed',
    actions: { type: 'fail', params: { code: 'canceled', message: 'canceled by the client' } },
  },
} as const;

/** The states that every ingest ends with, once its media is in the object store; `id` is that of its chart. */
export const ingestTail = <const Id extends string>(id: Id) =>
  ({
    probing: {
      description: 'ffprobe and ffmpeg measure the media and read it to its end.',
      invoke: {
        id: 'probe',
        src: 'probe',
        input: mediaInput,
        onDone: { target: 'sealing', actions: commitOutcome },
        onError: { target: 'failed', actions: failsAs('probe_failed') },
      },
      on: { 'supervision.exhausted': givenUpAs('probe_failed') },
    },
    sealing: {
      description: 'The host makes the media a source.',
      initial: 'writing',
      states: {
        writing: {
          description: 'The host writes the probe record, the source receipt and the preflight.',
          invoke: {
            id: 'seal',
            src: 'seal',
            input: mediaInput,
            onDone: { target: 'registering', actions: commitOutcome },
            onError: { target: `#${id}.failed`, actions: failsAs('seal_failed') },
          },
        },
        registering: {
          description: 'The host reads the sealed files back and verifies them as a whole.',
          invoke: {
            id: 'register',
            src: 'register',
            input: mediaInput,
            onDone: {
              target: `#${id}.registered`,
              actions: {
                type: 'registerSource',
                params: ({ event }: { event: DoneActorEvent<RegisteredSource> }) => event.output,
              },
            },
            onError: { target: `#${id}.failed`, actions: failsAs('registration_failed') },
          },
        },
      },
      on: { 'supervision.exhausted': givenUpAs('seal_failed') },
    },
    registered: { type: 'final', description: 'The source is in the list and can be studied.' },
    failed: {
      type: 'final',
      description: 'The ingest ended without a source; its status says why. A client opens another ingest.',
    },
  }) as const;
