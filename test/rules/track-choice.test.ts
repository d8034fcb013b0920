import test from 'ava';
import { trackChoice } from '../../contract/captions/caption-plan.ts';
import {
  chooseTrack,
  remarksOfChoice,
  roleOfTrack,
  type TrackCandidate,
  writtenTag,
} from '../../rules/track-choice.ts';

type Given = Partial<TrackCandidate> & { readonly tag: string | null };

const candidate = ({ tag, ...given }: Given, trackIndex: number): TrackCandidate => ({
  trackIndex,
  origin: 'track',
  tag,
  language: tag === null ? null : writtenTag(tag, [], given.title ?? null).language,
  title: null,
  flags: [],
  cues: 12,
  isContradicted: false,
  ...given,
});

/** The choice as words: the taken track with its reason, and the reasons of the others by their index. The first track has index 2. */
function choice(asked: string, given: readonly Given[], named: readonly number[] = []) {
  const tracks = given.map((each, at) => candidate(each, at + 2));
  const found = trackChoice.parse(chooseTrack(tracks, asked, named));
  const taken = found.chosen === null ? 'none' : `${found.chosen.trackIndex} ${found.chosen.reason}`;
  return [taken, ...found.others.map(({ trackIndex, reason }) => `${trackIndex} ${reason}`)];
}

test('bug: of several tracks the one with the most cues was taken, though it was a commentary', (t) => {
  const plain: Given = { tag: 'eng', flags: ['default'] };
  t.deepEqual(choice('en', [plain, { tag: 'eng', flags: ['comment'], cues: 23 }, { tag: 'ger' }]), [
    '2 plain_track',
    '3 commentary',
    '4 other_language',
  ]);
  t.deepEqual(choice('en', [{ tag: 'eng', flags: ['forced'], cues: 33 }, plain]), ['3 plain_track', '2 forced_signs']);
  t.deepEqual(
    choice('en', [
      { tag: 'eng', flags: ['forced', 'default'] },
      { tag: 'eng', cues: 1 },
    ]),
    ['3 plain_track', '2 forced_signs'],
  );
  t.deepEqual(choice('en', [{ tag: 'eng', flags: ['hearing_impaired'], cues: 33 }, plain]), [
    '3 plain_track',
    '2 hearing_impaired',
  ]);
  t.deepEqual(choice('en', [{ tag: 'eng', flags: ['captions', 'default'], cues: 33 }, { tag: 'eng' }]), [
    '3 plain_track',
    '2 hearing_impaired',
  ]);
});

test('a commentary or signs are taken if there is nothing else, and dialogue for the hearing-impaired comes before them', (t) => {
  const comment: Given = { tag: 'eng', flags: ['comment'] };
  const forced: Given = { tag: 'eng', flags: ['forced'] };
  const impaired: Given = { tag: 'eng', flags: ['hearing_impaired'] };
  t.deepEqual(choice('en', [comment]), ['2 only_track']);
  t.deepEqual(choice('en', [comment, forced, impaired]), ['4 plain_track', '2 commentary', '3 forced_signs']);
  t.deepEqual(choice('en', [comment, forced]), ['3 plain_track', '2 commentary']);
});

test('bug: a file that a person attached was ignored if the film had as many cues', (t) => {
  const film: Given = { tag: 'eng', flags: ['default'], cues: 900 };
  const file: Given = { tag: 'en', origin: 'file', flags: null, cues: 9 };
  t.deepEqual(choice('en', [film, file]), ['3 attached_by_person', '2 another_was_attached']);
  t.deepEqual(choice('en', [file]), ['2 attached_by_person']);
  t.deepEqual(choice('en', [{ tag: 'fr', origin: 'file', flags: null }, film]), ['3 only_track', '2 other_language']);
  t.deepEqual(choice('en', [film, file, { ...file, cues: 10 }]), [
    '4 attached_by_person',
    '2 another_was_attached',
    '3 fewer_cues',
  ]);
  t.deepEqual(choice('en', [film, { ...file, isContradicted: true }]), ['2 only_track', '3 language_contradicted']);
});

test('a track that a person names comes before all others in its language', (t) => {
  const tracks: Given[] = [
    { tag: 'eng', flags: ['default'] },
    { tag: 'eng', flags: ['comment'] },
    { tag: 'eng', origin: 'file', flags: null },
    { tag: 'ger' },
  ];
  t.deepEqual(choice('en', tracks, [3]), [
    '3 chosen_by_person',
    '2 another_was_chosen',
    '4 another_was_chosen',
    '5 other_language',
  ]);
  t.is(choice('de', tracks, [3])[0], '5 only_track');
  t.is(choice('en', tracks, [5, 2])[0], '2 chosen_by_person');
  t.is(choice('en', [{ tag: 'eng' }, { tag: 'eng', isContradicted: true }], [3])[0], '3 chosen_by_person');
});

test('among equals the default flag decides, then the number of cues, then the place', (t) => {
  t.deepEqual(
    choice('en', [
      { tag: 'eng', cues: 99 },
      { tag: 'eng', flags: ['default'] },
    ]),
    ['3 default_track', '2 not_default'],
  );
  t.deepEqual(
    choice('kor', [
      { tag: 'ko', cues: 2 },
      { tag: 'kor', cues: 5 },
      { tag: 'ko', cues: 5 },
    ]),
    ['3 first_track', '2 fewer_cues', '4 later_track'],
  );
  t.deepEqual(
    choice('en', [
      { tag: 'eng', cues: 3, flags: null },
      { tag: 'eng', flags: null },
    ]),
    ['3 most_cues', '2 fewer_cues'],
  );
});

test('bug: the file in European Portuguese was written as Brazilian', (t) => {
  const br: Given = { tag: 'pt-BR', cues: 11 };
  const pt: Given = { tag: 'pt-PT' };
  const none: Given = { tag: 'por' };
  t.deepEqual(choice('pt-BR', [br, pt]), ['2 exact_tag', '3 other_region']);
  t.deepEqual(choice('pt-BR', [pt, none]), ['3 only_track', '2 other_region']);
  t.deepEqual(choice('pt-BR', [pt]), ['2 only_track']);
  t.deepEqual(choice('pt', [pt, none]), ['3 exact_tag', '2 other_region']);
  t.deepEqual(choice('en-GB', [{ tag: 'en-US', cues: 99 }, { tag: 'eng' }, { tag: 'en-GB' }])[0], '4 exact_tag');
  t.is(choice('pt-BR', [{ tag: 'pt-BR', flags: ['forced'] }, pt])[0], '3 plain_track');
  t.is(choice('pt-BR', [{ tag: 'pt-BR', flags: ['hearing_impaired'] }, pt])[0], '2 exact_tag');
});

test('another region is named by what it is, and another script is refused', (t) => {
  const remarks = (asked: string, given: readonly Given[]) =>
    remarksOfChoice('target', chooseTrack(given.map(candidate), asked)).map(
      ({ code, params }) => `${code} ${'found' in params ? params.found : ''}`,
    );
  t.deepEqual(remarks('pt-BR', [{ tag: 'pt-PT' }]), ['other_region_taken pt-PT']);
  t.deepEqual(remarks('pt-BR', [{ tag: 'por' }]), []);
  t.deepEqual(remarks('pt', [{ tag: 'pt-PT' }]), []);
  t.deepEqual(remarks('nb', [{ tag: 'nno' }]), ['other_region_taken nn']);
  t.deepEqual(remarks('no', [{ tag: 'nno' }]), []);
  t.deepEqual(remarks('zh-Hant', [{ tag: 'zh-Hans' }]), ['other_script_refused zh-Hans']);
  t.deepEqual(remarks('zh-Hant', [{ tag: 'zh-Hans' }, { tag: 'zh-TW' }]), []);
  t.deepEqual(remarks('zh-TW', [{ tag: 'zh-HK' }]), ['other_region_taken zh-HK']);
});

test('bug: text in Simplified Chinese was written as Traditional', (t) => {
  t.deepEqual(choice('zh-Hant', [{ tag: 'zh-Hans' }]), ['none', '2 other_script']);
  t.deepEqual(choice('zh-Hant', [{ tag: 'zh-CN' }, { tag: 'zh-TW', cues: 1 }]), ['3 only_track', '2 other_script']);
  t.deepEqual(choice('zh-TW', [{ tag: 'zh-Hans' }, { tag: 'zh-Hant' }]), ['3 only_track', '2 other_script']);
  t.deepEqual(choice('zh-Hans', [{ tag: 'zh-Hans' }]), ['2 only_track']);
  t.deepEqual(choice('zh', [{ tag: 'zh-Hans' }]), ['2 only_track']);
  t.deepEqual(choice('sr-Latn', [{ tag: 'sr-Cyrl' }]), ['none', '2 other_script']);
  t.deepEqual(choice('zh-Hant', [{ tag: 'zh-Hans' }], [2]), ['none', '2 other_script']);
});

test('members of a macrolanguage are different tracks', (t) => {
  t.is(
    choice('nob', [
      { tag: 'nn', cues: 99 },
      { tag: 'nb', cues: 1 },
    ])[0],
    '3 exact_tag',
  );
  t.is(choice('no', [{ tag: 'nn' }, { tag: 'en' }])[0], '2 only_track');
  t.is(choice('fr', [{ tag: 'en' }])[0], 'none');
  t.is(choice('und', [{ tag: null }, { tag: 'und' }])[0], 'none');
  t.is(choice('ko', [])[0], 'none');
  t.is(choice('ko', [{ tag: null, language: 'ko' }])[0], '2 only_track');
});

test('a track whose tag its text contradicts comes after all others in that language', (t) => {
  t.deepEqual(
    choice('ko', [
      { tag: 'ko', isContradicted: true },
      { tag: 'ko', cues: 1 },
    ]),
    ['3 only_track', '2 language_contradicted'],
  );
  t.is(choice('ko', [{ tag: 'ko', isContradicted: true }])[0], '2 only_track');
});

test('the title of a track tells its role if no flag does', (t) => {
  const role = (title: string, flags: TrackCandidate['flags'] = []) => roleOfTrack({ title, flags })?.role ?? 'plain';
  const titles: Record<string, readonly string[]> = {
    commentary: [
      "Director's Commentary",
      'Audio comments: commentaries',
      'Commentaire du réalisateur',
      'Comentario del director',
      'Comentários do realizador',
      'Audiokommentar',
      'Kommentarspor',
      'Komentář režiséra',
      'Komentarz reżysera',
      'Комментарии режиссёра',
      'コメンタリー',
      '评论音轨',
    ],
    forced_signs: [
      'Forced',
      'English (forced)',
      'Signs & Songs',
      'Signs/Songs',
      'Forcés',
      'Forzados',
      'Forçadas',
      'Forzati',
      'Erzwungen',
      'Форсированные',
      '強制字幕',
    ],
    hearing_impaired: [
      'SDH',
      'English [CC]',
      'English (HI)',
      'For the hearing impaired',
      'Pour sourds et malentendants',
      'Para sordos',
      'Für Hörgeschädigte',
      'Per non udenti',
      'Для глухих и слабослышащих',
    ],
    plain: ['English', 'Hindi', 'Full', 'Dialogue, signs & songs', 'English (non-forced)', 'Not forced', 'accent', ''],
  };
  for (const [expected, all] of Object.entries(titles)) for (const title of all) t.is(role(title), expected, title);
  t.is(role('SDH', ['comment']), 'commentary');
  t.is(role('Forced', null), 'forced_signs');
  t.deepEqual(roleOfTrack({ title: 'SDH', flags: ['default'] }), { role: 'hearing_impaired', from: 'title' });
  t.deepEqual(roleOfTrack({ title: 'English', flags: ['forced'] }), { role: 'forced_signs', from: 'flag' });
});

test('the tag of the lines has the script of the text, and the region that the title names', (t) => {
  const written = (tag: string, text = '', title: string | null = null) => writtenTag(tag, [text], title).language;
  const hant = '這艘船明天早上七點開。我妹妹在冬天寫了這封信。';
  const hans = '这艘船明天早上七点开。我妹妹在冬天写了这封信。';
  t.is(written('chi', hant), 'zh-Hant');
  t.is(written('zho', hans), 'zh-Hans');
  t.is(written('cmn', hans), 'zh-Hans');
  t.is(written('zh-TW', hant), 'zh-TW');
  t.is(written('chi', '好', '繁體中文'), 'zh-Hant');
  t.is(written('chi', '好'), 'zh');
  t.is(written('srp', 'Брод полази сутра ујутру.'), 'sr-Cyrl');
  t.is(written('srp', 'Brod polazi sutra ujutru.'), 'sr-Latn');
  t.is(written('por', 'O time joga bola.', 'Português (Brasil)'), 'pt-BR');
  t.is(written('por', 'O time joga bola.', 'European'), 'pt-PT');
  t.is(written('spa', 'El barco sale.', 'Latin American'), 'es-419');
  t.is(written('eng', 'The boat leaves.', 'Brazil'), 'en');
  t.true(writtenTag('zh-Hant', [hans], null).isOtherScript);
  t.true(writtenTag('zh-TW', [hans], null).isOtherScript);
  t.false(writtenTag('zh-Hans', [hans], null).isOtherScript);
  t.false(writtenTag('zh', [hans], null).isOtherScript);
  t.true(writtenTag('sr-Latn', ['Брод полази сутра ујутру.'], null).isOtherScript);
});

test('bug: Spanish of Spain was as near to Mexican Spanish as that of Latin America', (t) => {
  const nearest = (asked: string, ...tags: readonly string[]) => {
    const tracks = tags.map((tag, at) => candidate({ tag }, at));
    const { chosen } = chooseTrack(tracks, asked);
    const reversed = chooseTrack(tracks.toReversed(), asked);
    t.is(reversed.chosen?.tag, chosen?.tag, `${asked} of ${tags.join(', ')}`);
    return chosen?.tag;
  };
  t.is(nearest('es-MX', 'es-ES', 'es-419'), 'es-419');
  t.is(nearest('es-MX', 'es', 'es-419'), 'es-419');
  t.is(nearest('es-MX', 'es-ES', 'es-AR'), 'es-AR');
  t.is(nearest('es-MX', 'es-AR', 'es'), 'es');
  t.is(nearest('es-419', 'es-ES', 'es-MX'), 'es-MX');
  t.is(nearest('es-ES', 'es-419', 'es'), 'es');
  t.is(nearest('pt-AO', 'pt-BR', 'pt-PT'), 'pt-PT');
  t.is(nearest('pt-PT', 'pt-BR', 'pt-MZ'), 'pt-MZ');
  t.is(nearest('en-AU', 'en-US', 'en-GB'), 'en-GB');
  t.is(nearest('en-AU', 'en-GB', 'en-001'), 'en-001');
  t.is(nearest('en-AT', 'en-001', 'en-150'), 'en-150');
  t.is(nearest('zh-MO', 'zh-TW', 'zh-HK'), 'zh-HK');
  t.is(nearest('zh-Hant-MO', 'zh-Hant-TW', 'zh-Hant-HK'), 'zh-Hant-HK');
  t.is(nearest('fr-CA', 'fr-FR', 'fr'), 'fr');
});

test('a region that is a parent of the asked one is another region still, and is named', (t) => {
  const found = chooseTrack([candidate({ tag: 'es-419' }, 0)], 'es-MX');
  t.deepEqual(remarksOfChoice('target', found), [
    { code: 'other_region_taken', params: { side: 'target', asked: 'es-MX', found: 'es-419' } },
  ]);
});

test('subtitles that were moved to the speech are taken in place of the ones that they were made of', (t) => {
  const derived = { origin: 'resynced', parentLabel: 'x.srt', parentContentId: `sha256:${'a'.repeat(64)}` } as const;
  const file: Given = { tag: 'eng', origin: 'file' };
  t.deepEqual(choice('en', [file, { ...file, derived: { ...derived, parentTrackIndex: 2 } }]), [
    '3 attached_by_person',
    '2 moved_one_taken',
  ]);
  const moved: Given = { ...file, derived: { ...derived, parentTrackIndex: 2 } };
  t.deepEqual(choice('en', [{ tag: 'eng', flags: ['default'], cues: 40 }, moved]), [
    '3 attached_by_person',
    '2 moved_one_taken',
  ]);
  const unrelated: Given = { ...file, derived: { ...derived, parentTrackIndex: null } };
  t.deepEqual(choice('en', [file, unrelated]), ['2 attached_by_person', '3 later_track']);
});
