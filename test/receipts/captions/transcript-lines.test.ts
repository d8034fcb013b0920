import test from 'ava';
import type { DetectedFact } from '../../../contract/evidence/evidence.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import type { CaptionedStudy } from '../../../receipts/captions/captioned-study.ts';
import { recognizedAbsence, recognizedLines } from '../../../receipts/captions/transcript-lines.ts';
import { run } from '../evidence/spoken-study.ts';
import { type Spoken, spokenLines } from './spoken-lines.ts';

const failed = { code: 'engine_error', params: { engine: 'openai', status: 500 } } as const;

/** A study whose transcript has these lines, one in each region, and a region between them that may lack a recognition. */
function studyOf(spoken: readonly Spoken[], isBetweenRecognized: boolean): CaptionedStudy {
  const lines = spokenLines(spoken).map((line) => ({ ...line, regionIndex: 2 * line.index }));
  const regions = [0, 1, 2].map((index): DetectedFact => {
    const { startMs = 0, endMs = 0 } = spoken[index / 2] ?? { startMs: spoken[0]?.endMs, endMs: spoken[1]?.startMs };
    const heard = { samples: 0, contentId: `sha256:${'2'.repeat(64)}` };
    const cause = index === 1 && !isBetweenRecognized ? { cause: failed } : {};
    return { kind: 'recognised_region', index, startMs, endMs, heard, language: null, ...cause };
  });
  const recognition = {
    artifact: { id: 'artifact:one', content: { contentId: 'sha256:one' } },
    found: { facts: [...regions, ...lines] },
    receipt: { producer: { engine: 'openai' } },
  };
  const conclusion = { study: null, admission: { readiness: null } };
  return { run, conclusion, findings: { recognition } } as unknown as CaptionedStudy;
}

const { startMs } = run.record.analysisRequest.range;
const spoken: readonly Spoken[] = [
  { text: 'we will', startMs: startMs + 100, endMs: startMs + 600 },
  { text: 'begin now', startMs: startMs + 700, endMs: startMs + 1_200 },
];

test('a cue joins lines of two regions, but not across one that was not recognized', (t) => {
  const textsOf = (isBetweenRecognized: boolean) =>
    resultOfSteps(recognizedLines(studyOf(spoken, isBetweenRecognized))).map(({ text }) => text);
  t.deepEqual(textsOf(true), ['we will begin now']);
  t.deepEqual(textsOf(false), ['we will', 'begin now']);
});

test('bug: a line after a full stop began with a small letter', (t) => {
  const textOf = (first: string, second: string) => {
    const lines = [
      { text: first, startMs: startMs + 100, endMs: startMs + 600 },
      { text: second, startMs: startMs + 700, endMs: startMs + 1_200 },
    ];
    const cues = resultOfSteps(recognizedLines(studyOf(lines, true)));
    return cues.map(({ text }) => text.replaceAll('\n', ' ')).join(' ');
  };
  t.is(textOf('we begin.', 'then go'), 'we begin. Then go');
  t.is(textOf('are you here?', '“yes”'), 'are you here? “Yes”');
  t.is(textOf('we begin', 'then go'), 'we begin then go', 'no full stop');
  t.is(textOf('we wait...', 'then go'), 'we wait... then go', 'the sentence may continue');
  t.is(textOf('this is Mr.', 'von Trapp'), 'this is Mr. von Trapp', 'an abbreviation');
  t.is(textOf('this is new.', 'iPhone sales'), 'this is new. iPhone sales', 'a name that begins so');
});

test('captions without a transcript have the failure of the recognizer as their cause', (t) => {
  const reason = { code: 'executor_failed', message: 'http_403: the server refused the request' };
  const recognition = {
    artifact: null,
    found: null,
    receipt: null,
    delivered: { reasonCode: 'recognition_failed' },
    failure: { reason, engine: 'openai' },
  };
  const study = { run, findings: { recognition } } as unknown as CaptionedStudy;
  t.deepEqual(recognizedAbsence(study, false), {
    code: 'nothing_recognised',
    params: {
      reason: 'recognition_failed',
      cause: { code: 'engine_forbidden', params: { engine: 'openai', status: 403 } },
    },
  });
});
