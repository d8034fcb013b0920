import test from 'ava';
import { scriptOfTag, scriptOfText } from '../../rules/scripts.ts';

test('a tag states a script by itself, by its region, or by its language', (t) => {
  const tags: Record<string, string | null> = {
    'zh-Hant': 'Hant',
    'zh-TW': 'Hant',
    'zh-HK': 'Hant',
    'zh-CN': 'Hans',
    'zh-SG': 'Hans',
    zh: null,
    chi: null,
    cmn: null,
    sr: null,
    'sr-RS': null,
    'sr-ME': 'Latn',
    'sr-Latn': 'Latn',
    'uz-AF': 'Arab',
    'pa-PK': 'Arab',
    ja: 'Jpan',
    'ja-Latn': 'Latn',
    en: 'Latn',
    ru: 'Cyrl',
    und: null,
    'no tag': null,
  };
  for (const [tag, script] of Object.entries(tags)) t.is(scriptOfTag(tag), script, tag);
});

test('the text tells which of its scripts a language is written in', (t) => {
  const script = (language: string, ...texts: readonly string[]) => scriptOfText(language, texts);
  t.is(script('zh', '这么多年没有人见过那张旧地图。'), 'Hans');
  t.is(script('zh', '這麼多年沒有人見過那張舊地圖。'), 'Hant');
  t.is(script('yue', '佢哋話聽日會嚟睇我哋嘅新車。還有幾多個?'), 'Hant');
  t.is(script('zh', '你好。'), null);
  t.is(script('zh', '这么多年没有人见过。', '這麼多年沒有人見過。'), null, 'both');
  t.is(script('sr', 'Ко је то рекао вечерас на броду? OK.'), 'Cyrl');
  t.is(script('sr', 'Ko je to rekao?'), 'Latn');
  t.is(script('sr', 'Ne.'), null);
  t.is(script('uz', 'Қайиқ эртага жўнайди.'), 'Cyrl');
  t.is(script('pa', 'ਕਿਸ਼ਤੀ ਕੱਲ੍ਹ ਜਾਵੇਗੀ'), 'Guru');
  t.is(script('en', 'The boat leaves at seven.'), null, 'one script');
});
