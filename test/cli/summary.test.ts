import test from 'ava';
import { summaryLines } from '../../cli/terminal/summary.ts';
import type { RuntimeOverview } from '../../contract/overview/runtime-overview.ts';
import { standingAllowance } from '../../receipts/captions/caption-allowance.ts';
import { runtimeOverviewOf } from '../../receipts/overview/runtime-overview.ts';
import { contentOf, storedRuntimeOf } from '../receipts/core/stored-content-in-memory.ts';
import { storedStudy } from '../receipts/evidence/stored-study.ts';
import { reopened } from '../receipts/reopening/reopened.ts';

const captions = { classification: 'embedded_subtitle_tracks', allowance: standingAllowance } as const;
const host = { reviewerId: 'reviewer:one', captions, explains: true, sourceIsCurrent: true };
const ended = { lifecycle: 'terminal', reason: null, resumes: 0, deadlineLeftMs: null, waitsFor: null } as const;

test('bug: a kind of evidence that is missing stood twice in the summary of a study', async (t) => {
  const silent = storedStudy({ version: 1, windows: null });
  const { runtime } = await reopened(storedRuntimeOf(silent), contentOf(silent.files));
  const overview = runtimeOverviewOf(runtime, ended, host);
  const lines = summaryLines(overview);
  const missing = overview.findings.filter(({ state }) => state === 'unavailable');
  t.true(missing.length > 0);
  for (const { title, text, reasonCode } of missing) {
    t.true(text.includes(`(${reasonCode})`), text);
    t.deepEqual(
      lines.filter((line) => line.includes(`${title}: `)),
      [`${title}: ${text}`],
    );
  }
  // What is kept back for another reason than that it is missing is still said.
  const others = lines.filter((line) => line.startsWith('withheld: '));
  t.is(others.length, overview.withheld.length - missing.length);
  t.true(others.length > 0);
});

/** The commands that the summary of an overview gives for what may be done next. */
const nextOf = (overview: RuntimeOverview) =>
  summaryLines(overview).flatMap((line) => /^next: .*\((media-study [^)]+)\)$/.exec(line)?.[1] ?? []);

test('bug: the command for the same range once more studied the whole source, in another language', async (t) => {
  const stored = storedStudy({ version: 1, windows: null });
  const { runtime } = await reopened(storedRuntimeOf(stored), contentOf(stored.files));
  const overview = runtimeOverviewOf(runtime, ended, host);
  const { sourceSessionId, durationMs } = overview.source;
  const asked: Partial<RuntimeOverview['study']> = {
    range: { startMs: 1000, endMs: 62_500 },
    sourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
    targetLanguage: 'de',
    outputDepth: 'captions',
  };
  const part = nextOf({ ...overview, study: { ...overview.study, ...asked } });
  const words = '--from 0:01.000 --to 1:02.500 --language ko --target-language de --captions --again NAME';
  t.is(part.at(-1), `media-study study ${sourceSessionId} ${words}`);
  const whole: Partial<RuntimeOverview['study']> = {
    ...asked,
    range: { startMs: 0, endMs: durationMs },
    targetLanguage: 'en',
    outputDepth: 'evidence',
  };
  const all = nextOf({ ...overview, study: { ...overview.study, ...whole } });
  t.is(all.at(-1), `media-study study ${sourceSessionId} --language ko --again NAME`);
});

test('bug: what has captions made had no command in the summary of a study', async (t) => {
  const stored = storedStudy({ version: 1, windows: null });
  const { runtime } = await reopened(storedRuntimeOf(stored), contentOf(stored.files));
  const overview = runtimeOverviewOf(runtime, ended, host);
  const produce = { action: 'produce_captions', text: 'have captions made', method: 'POST', path: '/v1/x' } as const;
  const next = nextOf({ ...overview, actions: [{ ...produce, body: null, fill: [] }] });
  t.deepEqual(next, [`media-study captions ${overview.runtimeId} --produce`]);
});
