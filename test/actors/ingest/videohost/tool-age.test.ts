import test from 'ava';
import { ageNote } from '../../../../actors/ingest/videohost/tool-age.ts';

const tool = (version: string) => ({ name: 'yt-dlp', version, digest: `sha256:${'0'.repeat(64)}` });

test('a downloader is old from the 91st day after its release on, and says how old', (t) => {
  const released = Date.UTC(2026, 0, 10);
  const day = 24 * 60 * 60 * 1000;
  t.is(ageNote(tool('2026.01.10'), released), null);
  t.is(ageNote(tool('2026.01.10'), released + 91 * day - 1), null);
  t.regex(ageNote(tool('2026.01.10.232815'), released + 91 * day) ?? '', /^yt-dlp 2026\.01\.10\.232815 is 91 days old/);
});

test('nothing is said of a version that is no date', (t) => {
  t.is(ageNote(tool('nightly'), Date.UTC(2026, 0, 1)), null);
});
