import test from 'ava';
import { whisperCodeOf } from '../../../../features/recognition/engine/whisper-languages.ts';
import { baseLanguage, contradictsLanguage } from '../../../../rules/languages.ts';

// `LANGUAGES` of Whisper, in its order.
const whisper =
  `en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te
  fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa
  lb my bo tl mg as tt haw ln ha ba jw su yue`.split(/\s+/);

test('each language of Whisper has a code of ours that leads back to it', (t) => {
  for (const code of whisper) t.is(whisperCodeOf(baseLanguage(code) ?? ''), code);
});

test('bug: films declared as Bokmål, Filipino or Javanese were never recognized by whisper-cli', (t) => {
  for (const [tag, code] of [
    ['nb', 'no'],
    ['nb-NO', 'no'],
    ['nob', 'no'],
    ['tl', 'tl'],
    ['fil', 'tl'],
    ['jv', 'jw'],
  ] as const) {
    const declared = baseLanguage(tag) ?? '';
    t.is(whisperCodeOf(declared), code);
    t.false(contradictsLanguage('', [declared], { identified: null, recognized: code }), tag);
  }
});
