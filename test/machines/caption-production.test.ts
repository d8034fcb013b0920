import type { AnyEventObject } from 'xstate';
import {
  type CaptionProductionContext,
  type CaptionProductionInput,
  captionProductionMachine,
} from '../../machines/caption-production.ts';
import { type Ending, testPaths } from './path-tests.ts';
import type { Scenario } from './scenario.ts';

const hex = (digit: string) => digit.repeat(64);

const input: CaptionProductionInput = {
  runtimeId: 'runtime:one',
  jobId: `caption-production:${hex('1')}`,
  approval: {
    reviewId: `publish-review:${hex('2')}`,
    artifactId: `artifact:${hex('3')}`,
    receiptId: `publish-review-decision-receipt:${hex('4')}`,
    receiptContentId: `sha256:${hex('5')}`,
  },
  attempt: 0,
  classification: 'embedded_subtitle_tracks',
};

const outcome = (step: string) => ({
  events: [{ producer: { kind: 'host', id: step }, causationId: null, correlationId: null, type: step, data: {} }],
  writes: [{ put: 'record', key: step, value: { step } }],
});

const commit = ({ events, writes }: ReturnType<typeof outcome>) => ({ type: 'commit', events, writes });

const captions = outcome('captions');
const check = outcome('check');

const scenario: Scenario = {
  machine: captionProductionMachine,
  input,
  effects: {
    produceCaptions: { input, outputs: [captions], errors: [new Error('too_large: 65 lines')] },
    checkCaptions: { input, outputs: [check], errors: [new Error('internal: no space')] },
  },
  timers: {},
  outside: [
    { type: 'authority.revoked' },
    { type: 'production.cut' },
    { type: 'quality.check' },
    { type: 'supervision.exhausted', message: 'it crashed again and again' },
    { type: 'content.damaged', message: 'the journal is damaged' },
  ],
  distinguish: (context) => (context as CaptionProductionContext).failure,
};

const reasons: Readonly<Record<string, (event: AnyEventObject, code: string) => { code: string; message: string }>> = {
  'authority.revoked': (_, code) => ({ code, message: 'revoked: the approval was withdrawn' }),
  'production.cut': (_, code) => ({ code, message: 'interrupted: the attempt was cut short' }),
  'content.damaged': ({ message }) => ({ code: 'stored_content_inconsistent', message }),
};

const failureOf = (event: AnyEventObject, code: string, interrupted: string) => {
  if (event.type === 'supervision.exhausted') return { code, message: `${interrupted}${event.message}` };
  return reasons[event.type]?.(event, code) ?? { code, message: (event.error as Error).message };
};

const endingOf = (events: readonly AnyEventObject[]): Ending => {
  const emissions: unknown[] = [];
  let failure: CaptionProductionContext['failure'] = null;
  let value = 'producing';
  for (const event of events) {
    if (event.type === 'xstate.done.actor.produceCaptions') {
      emissions.push(commit(captions));
      value = 'checking';
    } else if (event.type === 'xstate.done.actor.checkCaptions') {
      emissions.push(commit(check));
      value = 'checked';
    } else if (event.type === 'quality.check') {
      value = 'checking';
    } else if (value === 'producing') {
      failure = failureOf(event, 'caption_not_produced', 'interrupted: ');
      emissions.push({ type: 'production.failed', reason: failure });
      value = 'failed';
    } else {
      failure ??= failureOf(event, 'caption_not_checked', '');
      value = 'unchecked';
    }
  }
  return { value, context: { ...input, failure }, emissions };
};

testPaths(scenario, endingOf);
