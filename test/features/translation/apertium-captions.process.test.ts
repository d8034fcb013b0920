import { writeFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import { ProgramTranslations } from '../../../features/translation/program-translations.ts';
import { approvedStudy } from '../../actors/captions/caption-bench.ts';
import { launcherFor } from '../../executors/process/launcher-for-tests.ts';
import { standInApertium } from './apertium-for-tests.ts';

const detector = { identify: async (texts: readonly string[]) => texts.map(() => ({ isCovered: false, odds: [] })) };

/** An approved study of a film in Spanish whose captions are to be Portuguese, on a host with the pair. */
async function spanishFilm(t: ExecutionContext, texts: readonly string[], targetLanguage = 'pt') {
  const { environment, generation } = await standInApertium(t);
  const { launcher } = await launcherFor(t);
  const options = { launcher, environment, clock: systemClock, detector, modes: ['es-pt'] };
  const cues = texts.map((text, at) => ({ startMs: at * 160, endMs: at * 160 + 150, text }));
  const tracks = [{ ...{ trackIndex: 2, taggedLanguage: 'es', code: 'es' }, cues }];
  const approved = await approvedStudy(
    t,
    { classification: 'subtitle_tracks_translated', translator: () => new ProgramTranslations(options) },
    { tracks, sourceLanguage: 'es', targetLanguage },
  );
  return { ...approved, generation };
}
