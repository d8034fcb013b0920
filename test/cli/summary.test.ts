import test from 'ava';
import { summaryLines } from '../../cli/terminal/summary.ts';
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
