import type { AnyEventObject } from 'xstate';
import { ExplanationFailure, explanationFailureOf } from '../../contract/explanations/language-explanation-failure.ts';
import {
  type LanguageExplanationContext,
  type LanguageExplanationInput,
  languageExplanationMachine,
} from '../../machines/language-explanation.ts';
import { type Ending, testPaths } from './path-tests.ts';
import type { Scenario } from './scenario.ts';

const input: LanguageExplanationInput = {
  runtimeId: 'runtime:one',
  jobId: `language-explanation:${'1'.repeat(64)}`,
};

const explanation = {
  events: [{ producer: { kind: 'host', id: 'one' }, causationId: null, correlationId: null, type: 'one', data: {} }],
  writes: [{ put: 'record', key: 'one', value: { step: 'one' } }],
};

const scenario: Scenario = {
  machine: languageExplanationMachine,
  input,
  effects: {
    explain: {
      input,
      outputs: [explanation],
      errors: [new ExplanationFailure('http_429', 'the provider refused the request'), new Error('the disk is gone')],
    },
  },
  timers: {},
  outside: [
    { type: 'authority.revoked' },
    { type: 'explanation.cut' },
    { type: 'supervision.exhausted', message: 'it crashed again and again' },
    { type: 'content.damaged', message: 'the journal is damaged' },
  ],
  distinguish: (context) => (context as LanguageExplanationContext).failure,
};

const reasonOf = ({ type, message, error }: AnyEventObject) => {
  if (type === 'authority.revoked')
    return explanationFailureOf('revoked', 'the approval of the captions was withdrawn');
  if (type === 'explanation.cut') return explanationFailureOf('interrupted', 'the attempt was cut short');
  if (type === 'supervision.exhausted') return explanationFailureOf('interrupted', message);
  if (type === 'content.damaged') return explanationFailureOf('damaged', message);
  if (error instanceof ExplanationFailure) return error.reason;
  return explanationFailureOf('not_recorded', 'it could not be written down');
};

const endingOf = ([event]: readonly AnyEventObject[]): Ending => {
  if (event === undefined) throw new Error('no explanation ends by itself');
  if (event.type === 'xstate.done.actor.explain') {
    return {
      value: 'completed',
      context: { ...input, failure: null },
      emissions: [{ type: 'commit', ...explanation }],
    };
  }
  const failure = reasonOf(event);
  return {
    value: 'failed',
    context: { ...input, failure },
    emissions: [{ type: 'explanation.failed', reason: failure }],
  };
};

testPaths(scenario, endingOf);
