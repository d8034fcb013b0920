import test from 'ava';
import { isHeldOut, trainingVoices } from '../../lab/boundary-model/voices.ts';
import { recordedVoices } from '../../lab/utterances/recorded-voices.ts';

test('no voice that is held out is trained on, nor a volunteer who speaks its language', (t) => {
  const voices = trainingVoices(true);
  for (const kept of recordedVoices.filter(({ half }) => half === 'held-out')) {
    t.true(isHeldOut(kept), kept.name);
    t.false(
      voices.some((voice) => voice.package === kept.package && voice.folder === kept.folder),
      kept.name,
    );
  }
  t.false(voices.some(isHeldOut));
  const ukrainian = { name: 'hedgewars-Default_uk', package: 'hedgewars-data', folder: 'Default_uk' };
  t.true(isHeldOut(ukrainian));
  t.true(isHeldOut({ ...ukrainian, name: 'tuxpaint-nl' }));
  t.false(isHeldOut({ ...ukrainian, name: 'hedgewars-Default_es' }));
});

test('the voices for tuning are trained on unless they are left out', (t) => {
  const tuning = recordedVoices.filter(({ half }) => half === 'tuning').map(({ name }) => name);
  const names = (withTuning: boolean) => trainingVoices(withTuning).map(({ name }) => name);
  t.deepEqual(names(true), [...names(false), ...tuning]);
  t.false(tuning.some((name) => names(false).includes(name)));
});
