import { speechFile, utterances } from '../../fixtures/speech/gold.ts';
import { madeMedia } from './made-media.ts';

const times = ['00:00:00,900 --> 00:00:04,000', '00:00:09,930 --> 00:00:12,200', '00:00:13,500 --> 00:00:16,400'];
const cuesOf = (texts: readonly string[]): string =>
  texts.map((text, at) => `${at + 1}\n${times[at]}\n${text}\n`).join('\n');
const german = ['Die Kisten müssen ins Haus.', 'Er vergaß die Tür.', 'Viele ziehen in die Stadt.'];

/** A film in English, with its words in tracks of these languages; with none it has sound alone. */
export async function filmWithTracks(...languages: readonly ('eng' | 'deu')[]): Promise<string> {
  const inputs = {
    speech: { copyOf: speechFile },
    ...Object.fromEntries(languages.map((tag) => [`${tag}.srt`, cuesOf(tag === 'eng' ? utterances : german)])),
  };
  const words = [
    ...['-i', 'speech', ...languages.flatMap((tag) => ['-i', `${tag}.srt`])],
    ...['-map', '0:a', ...languages.flatMap((_, at) => ['-map', `${at + 1}:s`]), '-c:a', 'copy', '-c:s', 'srt'],
    ...['-metadata:s:a:0', 'language=eng'],
    ...languages.flatMap((tag, at) => [`-metadata:s:s:${at}`, `language=${tag}`]),
  ];
  return madeMedia({ words, extension: 'mkv', inputs });
}
