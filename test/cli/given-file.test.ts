import test from 'ava';
import { nameBeside, targetFile } from '../../cli/commands/given-file.ts';
import { WrongCall } from '../../cli/terminal/call.ts';

test('bug: the captions of a film with a long name could not be written, behind the approval', (t) => {
  const film = 'f'.repeat(249);
  t.is(nameBeside('film', '.en.srt'), 'film.en.srt');
  t.is(nameBeside(film.slice(0, 248), '.en.srt'), `${film.slice(0, 248)}.en.srt`);
  t.is(nameBeside(film, '.en.srt'), `${film.slice(0, 248)}.en.srt`);
  for (const letter of ['한', '😀', 'é']) {
    const name = nameBeside(letter.repeat(200), '.zh-Hant.srt');
    t.true(Buffer.byteLength(name) <= 255 && Buffer.byteLength(name) > 255 - 4, letter);
    t.true(name.isWellFormed() && name.endsWith(`${letter}.zh-Hant.srt`), letter);
  }
});

test('the command refuses a name that is too long for a file', async (t) => {
  const refused = await t.throwsAsync(targetFile(`/tmp/${'n'.repeat(252)}.srt`), { instanceOf: WrongCall });
  t.regex(refused?.message ?? '', /is too long: it has 256 bytes, and most folders take 255: choose a shorter one$/);
});
