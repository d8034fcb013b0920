import test, { type ExecutionContext } from 'ava';
import { spokenLanguage } from '../../../client/studies.ts';
import { runtimeOverview } from '../../../contract/overview.ts';
import { sourceSessionList } from '../../../contract/sources/source-session.ts';
import { planWarnings } from '../../../contract/study/start.ts';
import { TestHost } from '../../host/test-host.ts';

const grouped = ['--caption-executor', 'grouped-subtitles', '--allow-embedded-subtitle-captions'];
const off = /^this host does not make captions; restart it with --caption-executor grouped-subtitles /;

const overviewOf = async (t: ExecutionContext, host: TestHost, runtimeId: string) =>
  host.granted(t, await host.get(`/v1/runtimes/${runtimeId}/overview`), 200, runtimeOverview);

test('bug: a host without a caption executor let a person sign for captions that it never makes', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { twelveSeconds } = host.known.studies;
  const { captions, check, actions } = await overviewOf(t, host, twelveSeconds);
  t.is(captions.state, 'never');
  t.regex(captions.text, off);
  t.is(check.state, 'never');
  // The study can still be reviewed: another host may make its captions.
  t.is(actions[0]?.action, 'approve');
  await host.restart(grouped);
  const able = await overviewOf(t, host, twelveSeconds);
  t.is(able.captions.state, 'not_yet');
  t.is(able.captions.text, 'captions need an approval');
});

test('bug: captions that would have no line were said to be impossible only after the approval', async (t) => {
  const host = await TestHost.open(t, {
    life: 'studied',
    flags: ['--caption-executor', 'recognized', '--allow-recognized-captions'],
  });
  const { captions } = await overviewOf(t, host, host.known.studies.twelveSeconds);
  t.is(captions.state, 'never');
  t.regex(captions.text, /^captions would have no line: the study was accepted by a host without a recogniser/);
});

test('bug: the refusal of a host without a caption executor spoke of causality', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const path = `/v1/runtimes/${host.known.studies.twelveSeconds}/caption-productions`;
  const answer = await host.post(path, { approval: host.known.approval });
  t.is(host.refused(t, answer, 'caption_current_run_causality_required'), 'this host does not make captions');
  t.regex(answer.body.toString(), /; restart it with --caption-executor grouped-subtitles /);
});

/** What is said of captions before a study of the sample. */
async function captionWarnings(t: ExecutionContext, host: TestHost, endMs: number) {
  const { sourceSessions } = host.granted(t, await host.get('/v1/source-sessions'), 200, sourceSessionList);
  const [sample] = sourceSessions;
  const answer = await host.post('/v1/runtime-plan-warnings', {
    sourceSessionId: sample?.sourceSessionId,
    sourceRevisionId: sample?.sourceRevisionId,
    range: { startMs: 0, endMs },
    requestedSourceLanguage: spokenLanguage('ko'),
    targetLanguage: 'en',
    selectedLanguagePackId: null,
    outputDepth: 'captions',
  });
  const { warnings } = host.granted(t, answer, 200, planWarnings);
  return warnings.flatMap(({ code, text }) => (code === 'captions_not_possible' ? [text] : []));
}

test('a plan for captions on a host that makes none names the options that change it', async (t) => {
  const host = await TestHost.open(t);
  const [text] = await captionWarnings(t, host, 1000);
  t.regex(text ?? '', off);
  await host.restart(grouped);
  t.deepEqual(await captionWarnings(t, host, 1000), []);
});
