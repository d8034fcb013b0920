import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { utterances } from '../fixtures/speech/gold.ts';

// Builds the speech of the recognition tests: Debian's flite says three sentences, and a melody plays between the first two.
// The bytes depend on the versions of flite and ffmpeg and on the processor: the file in the repository is the fixture.

const melody = '0.3*sin(2*PI*(220*pow(2,floor(mod(t*3,12))/12))*t)*exp(-3*mod(t*3,1)/3)+0.1*sin(2*PI*110*t)';
const target = fileURLToPath(new URL('../fixtures/speech/speech.m4a', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'speech-'));
try {
  const files = utterances.map((text, at) => {
    const file = join(folder, `${at}.wav`);
    execFileSync('flite', ['-voice', 'kal16', '-t', text, '-o', file]);
    return file;
  });
  const [first = '', ...others] = files;
  const inputs = ['-i', first, '-f', 'lavfi', '-t', '4', '-i', `aevalsrc='${melody}':s=16000`];
  const more = others.flatMap((file) => ['-i', file]);
  const graph =
    '[0]aresample=16000,aformat=channel_layouts=mono,adelay=900,apad=pad_dur=0.6[a];[1]aformat=channel_layouts=mono[b];' +
    '[2]aformat=channel_layouts=mono,adelay=900,apad=pad_dur=0.6[c];' +
    '[3]aformat=channel_layouts=mono,adelay=300,apad=pad_dur=0.8[d];[a][b][c][d]concat=n=4:v=0:a=1[o]';
  const coded = ['-map', '[o]', '-c:a', 'aac', '-b:a', '40k', '-flags:a', '+bitexact', '-fflags', '+bitexact'];
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...inputs, ...more, '-filter_complex', graph, ...coded, target]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
