import { readFile } from 'node:fs/promises';
import { speechFile, utterances } from '../../fixtures/speech/gold.ts';
import { madeMedia } from '../media/made-media.ts';

/** A film in English with its words in a track, and no track in another language. */
export async function filmWithOneTrack(): Promise<Buffer> {
  const times = ['00:00:00,900 --> 00:00:04,000', '00:00:09,930 --> 00:00:12,200', '00:00:13,500 --> 00:00:16,400'];
  const cues = utterances.map((text, at) => `${at + 1}\n${times[at]}\n${text}\n`);
  const maps = ['-map', '0:a', '-map', '1:s', '-c:a', 'copy', '-c:s', 'srt'];
  const tags = ['-metadata:s:a:0', 'language=eng', '-metadata:s:s:0', 'language=eng'];
  const inputs = { speech: { copyOf: speechFile }, 'words.srt': cues.join('\n') };
  return readFile(
    await madeMedia({ words: ['-i', 'speech', '-i', 'words.srt', ...maps, ...tags], extension: 'mkv', inputs }),
  );
}
