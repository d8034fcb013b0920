import test from 'ava';
import type { Range } from '../../../contract/base/grammar.ts';
import { type CaptionClassification, captionExecutor } from '../../../contract/captions/caption-line.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { defaultCaptionAllowance } from '../../../receipts/captions/allowance.ts';
import { captionsOf } from '../../../receipts/captions/artifact.ts';
import { type CaptionedStudy, captionInputOf, derivedOnce } from '../../../receipts/captions/captioned-study.ts';
import { captionExecutors } from '../../../receipts/captions/executors.ts';
import { type PlannedCaptions, plannedObstaclesOf } from '../../../receipts/captions/prospect.ts';
import { fieldsOf } from '../../fields.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { koreanTrack, type StoredTrack, twoTracks } from '../evidence/stored-tracks.ts';
import { captionedStudy, captionSteps } from './captioned-studies.ts';

const studyOf = (tracks: readonly StoredTrack[]) => captionedStudy(storedStudy({ version: 1, windows: 4, tracks }));
const [korean, english] = twoTracks;
const two = await studyOf(twoTracks);

const over = (study: CaptionedStudy, range: Range): CaptionedStudy => {
  const { record } = study.run;
  return {
    ...study,
    run: { ...study.run, record: { ...record, analysisRequest: { ...record.analysisRequest, range } } },
  };
};

const digest = `sha256:${'1'.repeat(64)}`;
const translator = { model: 'some-model', promptContentId: digest, configurationContentId: digest };

test('every executor is named as in the contract, and none claims to have understood anything', (t) => {
  for (const [classification, executor] of Object.entries(captionExecutors)) {
    const identity = captionExecutor.parse(executor.identify(two, translator));
    t.is(classification, identity.classification);
    t.is(identity.cognitionClaim, 'none');
    t.is(identity.executionScope === 'current_run', classification !== 'recorded_real_pipeline_fixture');
  }
});

test('lines are drafted once for the findings and the request of a study, and again for another request', (t) => {
  let count = 0;
  const derived = derivedOnce((study) => {
    count += 1;
    return captionInputOf(study).range;
  });
  t.is(derived(two), derived({ ...two, approval: { ...two.approval } }));
  t.is(count, 1);
  const range = { startMs: 0, endMs: 500 };
  t.deepEqual(derived(over(two, range)), range);
  t.is(count, 2);
  const { embedded_subtitle_tracks: embedded } = captionExecutors;
  t.is(resultOfSteps(embedded.draft(two)), resultOfSteps(embedded.draft({ ...two })));
});

test('the recorded executor has no line of any run, and no text to name', (t) => {
  const { recorded_real_pipeline_fixture: recorded } = captionExecutors;
  t.deepEqual(resultOfSteps(recorded.draft(two)), []);
  t.is(recorded.identify(two).sourceCaptionContentId, null);
  const { lines, result } = captionsOf({
    study: two,
    attempt: 0,
    classification: 'recorded_real_pipeline_fixture',
  });
  t.deepEqual(lines, []);
  t.like(result, { status: 'unavailable', lineCount: 0, withheldCount: 0, unavailableCount: 0 });
});

const { deterministic_current_run_test_seam: seam } = captionExecutors;

test('the test seam makes a line of every half second, at least one and at most six', (t) => {
  const counts: [number, number][] = [
    [1, 1],
    [499, 1],
    [500, 1],
    [999, 1],
    [1000, 2],
    [1499, 2],
    [1500, 3],
    [2999, 5],
    [3000, 6],
    [3500, 6],
    [120_000, 6],
  ];
  for (const [lengthMs, count] of counts) {
    const lines = resultOfSteps(seam.draft(over(two, { startMs: 70, endMs: 70 + lengthMs })));
    t.is(lines.length, count, `${lengthMs} ms`);
    t.is(lines[0]?.startMs, 70);
    t.is(lines.at(-1)?.endMs, 70 + lengthMs);
    for (const [index, line] of lines.entries()) {
      if (index > 0) t.is(lines[index - 1]?.endMs, line.startMs);
      t.true(Math.abs(line.endMs - line.startMs - lengthMs / count) < 1);
    }
  }
});

test('the lines of the test seam are numbered and say so', (t) => {
  const lines = resultOfSteps(seam.draft(two));
  t.deepEqual(
    lines.map(({ id }) => id),
    [1, 2, 3, 4, 5, 6].map((number) => `deterministic-current-run-line-00${number}`),
  );
  t.deepEqual(lines[4]?.source, { state: 'available', text: 'Deterministic source line 5' });
  t.deepEqual(lines[4]?.target, { state: 'available', text: 'Deterministic target line 5' });
});

const { embedded_subtitle_tracks: embedded } = captionExecutors;
const draftOf = async (tracks: readonly StoredTrack[]) => resultOfSteps(embedded.draft(await studyOf(tracks)));
const inEnglish = { ...koreanTrack, taggedLanguage: 'en', code: 'en' };
const withheld = { state: 'withheld', reasonCode: 'translator_unavailable' } as const;

test('embedded subtitles are the two tracks side by side', (t) => {
  t.deepEqual(
    resultOfSteps(embedded.draft(two)),
    korean.cues.map(({ startMs, endMs, text }, index) => ({
      id: `embedded-subtitle-line-00${index + 1}`,
      startMs,
      endMs,
      source: { state: 'available', text },
      target: { state: 'available', text: english.cues[index]?.text },
    })),
  );
});

test('embedded subtitles name the artifact of the source track, if there is one', async (t) => {
  const named = embedded.identify(two).sourceCaptionContentId;
  const stored = two.findings.operations.flatMap(({ evidence }) => evidence.map(({ delivered }) => delivered));
  const first = stored.find(({ kind }) => kind === 'subtitle_track');
  t.is(first?.contentId, named);
  const targetOnly = await studyOf([inEnglish]);
  t.is(embedded.identify(targetOnly).sourceCaptionContentId, null);
});

test('a side without a track is withheld, line by line', async (t) => {
  const sourceOnly = await draftOf([koreanTrack]);
  t.deepEqual(sourceOnly, [
    {
      id: 'embedded-subtitle-line-001',
      startMs: 1000,
      endMs: 3000,
      source: { state: 'available', text: '안녕하세요' },
      target: withheld,
    },
  ]);
  const targetOnly = await draftOf([inEnglish]);
  t.deepEqual(
    targetOnly.map(({ source, target }) => [source, target.state]),
    [[withheld, 'available']],
  );
  t.deepEqual(await draftOf([{ ...koreanTrack, taggedLanguage: 'fr', code: 'fr' }]), []);
  t.deepEqual(await draftOf([]), []);
});

const swapped = twoTracks.map((track) => ({ ...track, taggedLanguage: track.taggedLanguage === 'ko' ? 'en' : 'ko' }));
const mismatch = { state: 'withheld', reasonCode: 'language_mismatch' } as const;

test('tracks whose tags are swapped give no words: each side is withheld for its language', async (t) => {
  const lines = await draftOf(swapped);
  t.deepEqual(
    lines.map(({ source, target }) => [source, target]),
    lines.map(() => [mismatch, mismatch]),
  );
  t.is(lines.length, 3);
});

test('a track that contradicts its tag takes the words of its own side alone', async (t) => {
  const lines = await draftOf([korean, { ...english, code: 'ja' }]);
  t.deepEqual(
    lines.map(({ source, target }) => [source.state, target]),
    lines.map(() => ['available', mismatch]),
  );
});

test('captions of one language in two tracks, or in one, say the same on both sides', async (t) => {
  const asked = { targetLanguage: 'ko' };
  const study = await captionedStudy(storedStudy({ version: 1, windows: 4, tracks: [koreanTrack], asked }));
  const { result, lines } = captionsOf({ study, attempt: 0, classification: 'embedded_subtitle_tracks' });
  t.is(result.status, 'completed');
  t.deepEqual(
    lines.map(({ source, target }) => [source.text, target.text]),
    koreanTrack.cues.map(({ text }) => [text, text]),
  );
});

test('tracks that split their sentences differently become lines of groups, if that was chosen', async (t) => {
  const split = {
    ...english,
    cues: [
      { startMs: 0, endMs: 400, text: 'Good' },
      { startMs: 450, endMs: 900, text: 'day' },
      { startMs: 1000, endMs: 2000, text: 'Come in' },
    ],
  };
  const study = await studyOf([korean, split]);
  const drafts = resultOfSteps(captionExecutors.grouped_subtitle_tracks.draft(study));
  t.deepEqual(fieldsOf(drafts, 'id', 'target'), [
    ['grouped-subtitle-line-001', { state: 'available', text: 'Good\nday' }],
    ['grouped-subtitle-line-002', { state: 'available', text: 'Come in' }],
    ['grouped-subtitle-line-003', withheld],
  ]);
  const { checked } = captionSteps({ study, attempt: 0, classification: 'grouped_subtitle_tracks' });
  const decided = checked.find(({ type }) => type === 'caption.quality_control_decided');
  t.like(decided?.data, {
    receipt: { decision: { outcome: 'accepted', reasonCodes: ['current_run_candidate_accepted_in_part'] } },
  });
  t.is(resultOfSteps(embedded.draft(study)).filter(({ target }) => target.state === 'available').length, 1);
});

test('tracks that name their languages in words are found', async (t) => {
  const names = ['Korean', 'English'];
  const lines = await draftOf(twoTracks.map((track, at) => ({ ...track, taggedLanguage: names[at] ?? null })));
  t.deepEqual(lines, resultOfSteps(embedded.draft(two)));
});

test('a line with an unreadable cue has no words there, on either side and on both', async (t) => {
  const without = (track: typeof korean, ...unread: readonly number[]) => ({
    ...track,
    cues: track.cues.map((cue, at) => (unread.includes(at) ? { ...cue, text: null } : cue)),
  });
  const lines = await draftOf([without(korean, 0, 1), without(english, 1, 2)]);
  t.deepEqual(
    lines.map(({ source, target }) => [source.state, target.state]),
    [
      ['withheld', 'available'],
      ['withheld', 'withheld'],
      ['available', 'withheld'],
    ],
  );
  t.deepEqual(lines[1]?.source, withheld);
});

const trackOf = (kind: 'audio' | 'video' | 'subtitle', index: number) => ({
  id: `stream:${index}`,
  index,
  kind,
  codec: kind === 'subtitle' ? 'subrip' : 'any',
  durationMs: null,
});

const film: PlannedCaptions = {
  range: { startMs: 0, endMs: 60_000 },
  requested: { mode: 'declared', languages: ['ko'], reason: null },
  targetLanguage: 'en',
  source: {
    tracks: [trackOf('video', 0), trackOf('audio', 1), trackOf('subtitle', 2)],
    trackLanguages: [{ index: 2, language: 'kor' }],
  },
  unrecognized: null,
};

const reasons = (classification: CaptionClassification, others: Partial<PlannedCaptions> = {}): string[] =>
  plannedObstaclesOf({ ...film, ...others }, { classification, allowance: defaultCaptionAllowance }).map(
    ({ cause }) => cause.code,
  );

const silent = { ...film.source, tracks: [trackOf('video', 0), trackOf('subtitle', 2)] };
const taggedAs = (language: string) => ({ ...film.source, trackLanguages: [{ index: 2, language }] });

test('a plan names the obstacles to captions for each executor', (t) => {
  t.deepEqual(reasons('recorded_real_pipeline_fixture'), ['no_caption_executor']);
  t.deepEqual(reasons('deterministic_current_run_test_seam'), []);
  const both = {
    tracks: [...film.source.tracks, trackOf('subtitle', 3)],
    trackLanguages: [...film.source.trackLanguages, { index: 3, language: 'eng' }],
  };
  const executors = ['embedded_subtitle_tracks', 'grouped_subtitle_tracks', 'subtitle_tracks_translated'] as const;
  for (const executor of executors) {
    t.deepEqual(reasons(executor), executor === 'subtitle_tracks_translated' ? [] : ['no_translator']);
    t.deepEqual(reasons(executor, { source: both }), []);
    t.deepEqual(reasons(executor, { targetLanguage: 'ko-KR' }), []);
    t.deepEqual(reasons(executor, { source: taggedAs('eng') }), ['no_text_track_in_language']);
    t.deepEqual(reasons(executor, { source: { tracks: [trackOf('audio', 1)], trackLanguages: [] } }), [
      'no_text_tracks',
    ]);
    t.deepEqual(reasons(executor, { source: taggedAs('fra') }), ['no_text_track_in_language']);
    // Only the study identifies these.
    t.deepEqual(reasons(executor, { source: taggedAs('und') }), []);
    t.deepEqual(reasons(executor, { source: { ...film.source, trackLanguages: [] } }), []);
  }
  t.deepEqual(reasons('recognised_transcript'), ['no_translator']);
  t.deepEqual(reasons('recognised_transcript', { targetLanguage: 'ko-KR' }), []);
  t.deepEqual(reasons('recognised_transcript_translated'), []);
  t.deepEqual(reasons('recognised_transcript_translated', { unrecognized: 'no_recognizer' }), ['no_recognizer']);
  t.deepEqual(reasons('recognised_transcript_translated', { source: silent }), ['no_audio_track']);
});

test('bug: pictures of text and formats that are not read counted as text tracks of their language', (t) => {
  const coded = (codec: string, language: string | null, index = 2) => ({
    track: { ...trackOf('subtitle', index), codec },
    language: language === null ? [] : [{ index, language }],
  });
  const causeOf = (others: Partial<PlannedCaptions>, ...given: readonly ReturnType<typeof coded>[]) => {
    const source = {
      tracks: [trackOf('video', 0), trackOf('audio', 1), ...given.map(({ track }) => track)],
      trackLanguages: given.flatMap(({ language }) => language),
    };
    const means = { classification: 'grouped_subtitle_tracks', allowance: defaultCaptionAllowance } as const;
    return plannedObstaclesOf({ ...film, ...others, source, targetLanguage: 'ko' }, means).map(({ cause }) => cause);
  };
  const pictures = ['hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle', 'xsub'];
  for (const codec of pictures)
    t.deepEqual(causeOf({}, coded(codec, 'kor')), [{ code: 'subtitles_are_pictures', params: { codecs: [codec] } }]);
  for (const codec of ['ttml', 'wvtt', 'dvb_teletext', 'eia_608'])
    t.deepEqual(causeOf({}, coded(codec, null)), [{ code: 'subtitle_format_not_read', params: { codecs: [codec] } }]);
  t.deepEqual(causeOf({ hasCaptionsInPicture: true }), [{ code: 'captions_in_the_picture', params: {} }]);
  t.deepEqual(causeOf({}), [{ code: 'no_text_tracks', params: {} }]);
  t.deepEqual(causeOf({}, coded('hdmv_pgs_subtitle', 'kor'), coded('subrip', 'kor', 3)), []);
  t.deepEqual(causeOf({}, coded('hdmv_pgs_subtitle', 'kor'), coded('subrip', 'ger', 3)), [
    { code: 'subtitles_are_pictures', params: { codecs: ['hdmv_pgs_subtitle'] } },
  ]);
  const spoken: Partial<PlannedCaptions> = { requested: { mode: 'declared', languages: ['zh-Hant'], reason: null } };
  t.deepEqual(causeOf(spoken, coded('subrip', 'zh-Hans'))[0], {
    code: 'subtitles_in_other_script',
    params: { asked: 'zh-Hant', found: 'zh-Hans' },
  });
});

test('a host whose captions come from subtitle tracks or from speech has an obstacle only where both fail', (t) => {
  const found = (others: Partial<PlannedCaptions>): string[] =>
    plannedObstaclesOf(
      { ...film, ...others },
      { classification: 'recognised_transcript', subtitlesFirst: true, allowance: defaultCaptionAllowance },
    ).map(({ cause }) => cause.code);
  t.deepEqual(found({}), ['no_translator']);
  t.deepEqual(found({ targetLanguage: 'ko' }), []);
  t.deepEqual(found({ targetLanguage: 'ko', source: silent, unrecognized: 'no_recognizer' }), []);
  const other = { targetLanguage: 'ko', source: taggedAs('fra') };
  t.deepEqual(found(other), []);
  t.deepEqual(found({ ...other, unrecognized: 'no_recognizer' }), ['no_recognizer']);
});

test('a plan also names a range that is too long and a language that is not declared', (t) => {
  const others: Partial<PlannedCaptions> = {
    range: { startMs: 0, endMs: 120_001 },
    requested: { mode: 'automatic', languages: [], reason: null },
  };
  t.deepEqual(reasons('recognised_transcript_translated', others), ['source_language_not_declared', 'range_too_long']);
  const allowance = { maxDurationMs: 600_000, maxLines: 64 };
  const classification = 'recognised_transcript_translated';
  t.deepEqual(
    plannedObstaclesOf({ ...film, range: { startMs: 0, endMs: 120_001 } }, { classification, allowance }),
    [],
  );
});
