import test from 'ava';
import type { TrackChoice } from '../../../contract/captions/caption-plan.ts';
import { textCause, unreadTrackCause, unreadTracksOf } from '../../../receipts/captions/unread-subtitles.ts';

type Findings = Parameters<typeof unreadTracksOf>[0];

/** The findings of a study whose operation states these tracks; `inPicture` is the video track with captions. */
const findings = (tracks: string, inPicture: number | null = null, picture: string | null = '0:h264'): Findings => {
  const absent = { kind: 'subtitle_track', state: 'unavailable', reasonCode: 'subtitle_format_unsupported' };
  const evidence = inPicture === null ? [] : [{ ...absent, trackIndex: inPicture, artifactId: null, contentId: null }];
  return { operations: [{ receipt: { parameters: { tracks, picture }, evidence } }] } as unknown as Findings;
};

const choice = (asked: string, others: TrackChoice['others'] = []): TrackChoice => ({ asked, chosen: null, others });

test('the tracks without text are those of other codecs, and the video track whose pictures hold captions', (t) => {
  t.deepEqual(unreadTracksOf(findings('2:subrip:eng,3:hdmv_pgs_subtitle:ger,4:ttml:', 0)), [
    { trackIndex: 3, codec: 'hdmv_pgs_subtitle', tag: 'ger' },
    { trackIndex: 4, codec: 'ttml', tag: null },
    { trackIndex: 0, codec: null, tag: null },
  ]);
  t.deepEqual(unreadTracksOf(findings('2:subrip:eng')), []);
  t.deepEqual(unreadTracksOf(findings('', null, null)), []);
});

test('each track without text has its cause', (t) => {
  const found = findings('2:dvb_subtitle:eng,3:ttml:', 0);
  t.deepEqual(
    [2, 3, 0, 9].map((index) => unreadTrackCause(found, index)?.code),
    ['subtitles_are_pictures', 'subtitle_format_not_read', 'captions_in_the_picture', undefined],
  );
});

test('bug: the subtitles of a study had no lines, and the cause was not named', (t) => {
  const codeOf = (found: Findings, asked: string) => textCause(found, choice(asked), null)?.code ?? null;
  t.is(codeOf(findings('2:hdmv_pgs_subtitle:eng'), 'en'), 'subtitles_are_pictures');
  t.is(codeOf(findings('2:hdmv_pgs_subtitle:eng'), 'de'), null);
  t.is(codeOf(findings('2:hdmv_pgs_subtitle:'), 'de'), 'subtitles_are_pictures');
  t.is(codeOf(findings('2:ttml:und'), 'de'), 'subtitle_format_not_read');
  t.is(codeOf(findings('', 0), 'de'), 'captions_in_the_picture');
  t.is(codeOf(findings(''), 'de'), null);
  const hans = {
    trackIndex: 2,
    origin: 'track',
    tag: 'chi',
    language: 'zh-Hans',
    title: null,
    flags: [],
    cues: 3,
  } as const;
  t.deepEqual(
    textCause(findings('2:subrip:chi'), choice('zh-Hant', [{ ...hans, flags: [], reason: 'other_script' }]), null),
    {
      code: 'subtitles_in_other_script',
      params: { asked: 'zh-Hant', found: 'zh-Hans' },
    },
  );
});

test('a taken track whose text contradicts its tag names the language of the text', (t) => {
  const taken = (identified: string | null, isContradicted = true) =>
    textCause(findings('2:subrip:eng'), choice('en'), { language: 'en', identified, isContradicted });
  t.deepEqual(taken('de'), { code: 'subtitles_of_other_language', params: { asked: 'en', found: 'de' } });
  t.deepEqual(taken(null), { code: 'subtitles_of_other_language', params: { asked: 'en', found: null } });
  t.deepEqual(taken('en'), { code: 'subtitles_of_other_language', params: { asked: 'en', found: null } });
  t.is(taken('en', false), null);
});
