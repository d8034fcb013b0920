import { join } from 'node:path';
import test from 'ava';
import { caption } from '../../cli/commands/caption.ts';
import { outputIn } from '../../cli/commands/caption-films.ts';
import { parseFlags } from '../../options/flags.ts';

const asked = { film: join('/films', 'br.mkv'), target: 'pt-BR', format: 'srt' } as const;
const pathFor = (...words: readonly string[]): string => outputIn('pt-PT', parseFlags(words, caption.flags, 1), asked);

test('captions of a track in another region have the name of what they are, and never that of a file that made them', (t) => {
  t.regex(pathFor('br.mkv'), /br\.pt-PT\.srt$/);
  const own = pathFor('br.mkv');
  t.regex(pathFor('br.mkv', '--subtitles', `${own}:pt-PT`), /br\.pt-BR\.srt$/);
  t.regex(pathFor('br.mkv', '--subtitles', own), /br\.pt-BR\.srt$/);
  t.is(pathFor('br.mkv', '--output', '/tmp/named.srt'), '/tmp/named.srt');
});
