import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { LabeledScreenTexts, PackItem } from '../../contract/evaluation.ts';
import { type Half, unpacked } from '../utterances/recorded-voices.ts';
import { ffmpeg } from './ffmpeg.ts';
import { itemOf } from './pack-item.ts';

/** Photographs without a letter in a package of Debian, below a folder of `/usr/share`; free licenses, which its `copyright` file states. */
interface Photographs {
  readonly package: string;
  readonly folder: string;
  readonly only: RegExp;
}

/** Rules are found on `tuning` and judged on the others; `unseen` and then `newest` came last, of other packages. */
type TitleSet = Half | 'unseen' | 'newest';

/** No photograph, title or font is in two sets. */
export const photographs: Readonly<Record<TitleSet, readonly Photographs[]>> = {
  tuning: [
    { package: 'mate-backgrounds', folder: 'backgrounds/mate/nature', only: /\.jpg$/ },
    { package: 'lomiri-wallpapers-16.04', folder: 'backgrounds', only: /\.jpg$/ },
    { package: 'plasma-workspace-wallpapers', folder: 'wallpapers', only: /2560x1600\.jpg$/ },
  ],
  'held-out': [
    { package: 'tuxpaint-data', folder: 'tuxpaint/templates', only: /\.jpg$/ },
    { package: 'palapeli-data', folder: 'palapeli/collection', only: /\.jpg$/ },
    {
      package: 'lxqt-themes',
      folder: 'lxqt/wallpapers',
      only: /^(?:Butterfly-|after|fog|this|Valendas|flowers|butterfly|drop).*\.(?:jpg|png)$/,
    },
    {
      package: 'opencv-doc',
      folder: 'doc/opencv-doc/examples/data',
      only: /^(?:aloeL|building|home|leuvenA|squirrel_cls)\.jpg$/,
    },
  ],
  unseen: [
    {
      package: 'tuxtype-data',
      folder: 'tuxtype',
      only: /^(?:images\/(?:kcas\d+|hidden)\.jpg|themes\/(?!wolof).*\/photo\.png)$/,
    },
    { package: 'darknet', folder: 'darknet/data', only: /^(?:dog|eagle|giraffe|horses|kite|person)\.jpg$/ },
    { package: 'tuxmath-data', folder: 'tuxmath/images/backgrounds', only: /^[0-7]\.jpg$/ },
    {
      package: 'golang-github-disintegration-imaging-dev',
      folder: 'gocode/src/github.com/disintegration/imaging/testdata',
      only: /^(?:branches\.jpg|flowers\.png)$/,
    },
    {
      package: 'libjs-jquery-colorbox',
      folder: 'doc/libjs-jquery-colorbox/examples/content',
      only: /^(?:daisy|marylou|ohoopee\d)\.jpg$/,
    },
    {
      package: 'python3-sklearn',
      folder: '../lib/python3/dist-packages/sklearn/datasets/images',
      only: /^(?:china|flower)\.jpg$/,
    },
  ],
  newest: [
    {
      // Scanned cards without a letter on them.
      package: 'cimg-doc',
      folder: 'doc/cimg-dev/html/img',
      only: /^postcard(?:[1-79]|13|14|19|2[2-579]|3[159]|4[0367]|5[0347]|6[048]|7[4789])\.jpg$/,
    },
    {
      package: 'ruby-rmagick-doc',
      folder: 'doc/ruby-rmagick-doc/html/ex/images',
      only: /^(?:Ballerina3|Cheetah|Hot_Air_Balloons_H|Red_Rocks)\.jpg$/,
    },
    { package: 'libjs-cropper', folder: 'doc/libjs-cropper/tests', only: /^(?:castleMed|poppy)\.jpg$/ },
    { package: 'lomiri-wallpapers-20.04', folder: 'backgrounds', only: /^(?:Fossa|Kleiber)_.*\.jpg$/ },
    {
      package: 'hugin-data',
      folder: 'hugin/xrc/data/help_en_EN',
      only: /^(?:Big_ben_rectilinear|CA_tCA00|Medinet_habu_horizontal_stereographic)\.jpg$/,
    },
  ],
};

/** A font in a package of Debian, below `/usr/share/fonts/truetype`. */
type Font = readonly [name: string, file: string];

const latinFonts: Readonly<Record<TitleSet, readonly Font[]>> = {
  tuning: ['DejaVuSans', 'DejaVuSans-Bold', 'DejaVuSerif-Bold'].map((name) => [
    'fonts-dejavu-core',
    `dejavu/${name}.ttf`,
  ]),
  'held-out': [
    ['fonts-open-sans', 'open-sans/OpenSans-Semibold.ttf'],
    ['fonts-crosextra-caladea', 'crosextra/Caladea-Bold.ttf'],
    ['fonts-open-sans', 'open-sans/OpenSans-Regular.ttf'],
    ['fonts-open-sans', 'open-sans/OpenSans-Bold.ttf'],
  ],
  unseen: [
    ['fonts-oxygen', 'oxygen/Oxygen-Sans-Bold.ttf'],
    ['fonts-noto-core', 'noto/NotoSerif-Bold.ttf'],
    ['fonts-noto-core', 'noto/NotoSans-Regular.ttf'],
    ['fonts-ebgaramond', '../opentype/ebgaramond/EBGaramond12-Bold.otf'],
    ['fonts-oxygen', 'oxygen/Oxygen-Sans.ttf'],
  ],
  newest: [
    ['fonts-cantarell', '../opentype/cantarell/Cantarell-Bold.otf'],
    ['fonts-linuxlibertine', '../opentype/linux-libertine/LinLibertine_RB.otf'],
    ['fonts-inter', '../opentype/inter/Inter-Medium.otf'],
    ['fonts-linuxlibertine', '../opentype/linux-libertine/LinBiolinum_R.otf'],
    ['fonts-cantarell', '../opentype/cantarell/Cantarell-Regular.otf'],
  ],
};

const koreanFonts: Readonly<Record<TitleSet, readonly Font[]>> = {
  tuning: ['NanumGothic', 'NanumMyeongjoBold'].map((name) => ['fonts-nanum', `nanum/${name}.ttf`]),
  'held-out': ['NanumBarunGothic', 'NanumSquareB', 'NanumGothicBold'].map((name) => [
    'fonts-nanum',
    `nanum/${name}.ttf`,
  ]),
  unseen: ['NotoSansCJK-Bold', 'NotoSerifCJK-Bold', 'NotoSansCJK-Regular'].map((name) => [
    'fonts-noto-cjk',
    `../opentype/noto/${name}.ttc`,
  ]),
  newest: [
    ['fonts-lexi-saebom', 'lexi/LexiSaebomR.ttf'],
    ['fonts-naver-d2coding', 'naver-d2coding/D2Coding-Ver1.3.2-20180524-all.ttc'],
    ['fonts-alee', 'alee/Bandal.ttf'],
  ],
};

/** Titles and lower thirds in English, German, French and Korean, one of each in turn. */
export const titles: Readonly<Record<TitleSet, readonly string[]>> = {
  tuning: [
    ...['The Harbour at Night', 'Warum wir später schlafen', 'Une maison au bord du canal', '우리 동네 이야기'],
    ...['Clara Berger, Reporter', 'Die Nächte werden kürzer', 'Réalisé par Anne Lefort', '서울 중앙 도서관'],
    ...['Winter Season 1897', 'Nach einer wahren Geschichte', 'Fermé le dimanche', '바람이 머문 자리'],
    ...['Written and directed by', 'Das Mädchen und der Fluss', 'Le dernier été', '다음 이야기는 내일'],
    ...['Platform 3 to Lisbon', 'Straße gesperrt', 'Sans tambour ni trompette', '작은 가게의 하루'],
    ...['Closed until Monday', 'Wer früh aufsteht', 'Le chemin des écoliers', '봄이 오는 소리'],
    ...['A letter from the sea', 'Ein Tag am Meer', 'La fille du boulanger', '멀리서 온 편지'],
    ...['Questions at the end', 'Morgen wird es regnen', 'Trois jours à Bruges', '기차는 여덟 시에'],
    ...['The cable answers', 'Über den Dächern', 'Au pied du mur', '할머니의 부엌'],
    ...['Road closed ahead', 'Die letzte Fähre', 'Merci à nos voisins', '오늘의 날씨'],
  ],
  'held-out': [
    ...['Beyond the Orchard', 'Hinter den sieben Bergen', 'Les oiseaux de passage', '산 너머 마을'],
    ...['A walk along the ridge', 'Gespräch mit einem Förster', 'Le jardin de ma tante', '나무와 사람들'],
    ...['Deborah Whitfield', 'Dr. Jürgen Kählert', 'Hélène Maréchal', '김하늘 교수'],
    ...['Marine Biologist', 'Leiterin der Sternwarte', 'Professeure de géographie', '해양 생물학자'],
    ...['Twelve Quiet Mornings', 'Zwölf stille Tage', 'Douze matins tranquilles', '열두 번의 아침'],
    ...['Previously on Northgate', 'Was bisher geschah', 'Dans les épisodes précédents', '지난 이야기'],
    ...['Two years earlier', 'Zwei Jahre zuvor', 'Deux ans plus tôt', '이 년 전'],
    ...['Narrated by Owen Pryce', 'Es spricht Ulrike Thoma', 'Raconté par Benoît Caron', '내레이션 박서연'],
    ...['The river keeps its name', 'Der Fluss vergisst nichts', 'La rivière se souvient', '강물은 기억한다'],
    ...['Photography by Ines Falk', 'Kamera: Götz Brenner', 'Photographie : Zoé Vidal', '촬영 이준호'],
    ...['Live from the valley', 'Wetter am Wochenende', 'En direct de la vallée', '현장에서 전합니다'],
    ...['Chapter Four: Salt', 'Viertes Kapitel', 'Quatrième partie', '네 번째 이야기'],
    ...['Archive footage, 1974', 'Archivbilder von 1974', "Images d'archives, 1974", '자료 화면 1974년'],
    ...['Harvest begins in June', 'Die Ernte beginnt im Juni', 'La récolte commence en juin', '수확은 유월에'],
    ...['Across the old bridge', 'Niemand kam zurück', 'Personne ne répondit', '아무도 오지 않았다'],
    ...['Music by Karin Odell', 'Musik von Jörg Stühler', 'Musique de Rémi Garnier', '음악 최은비'],
    ...['Last bus at midnight', 'Letzter Zug um Mitternacht', 'Dernier train à minuit', '자정의 마지막 버스'],
    ...['Filmed over three summers', 'Gedreht in drei Sommern', 'Tourné pendant trois étés', '세 번의 여름'],
    ...['Thank you for watching', 'Fortsetzung folgt', 'À suivre la semaine prochaine', '시청해 주셔서 감사합니다'],
  ],
  unseen: [
    ...['The Orchard Thieves', 'Der Klang der Glocken', 'Le phare abandonné', '그림자 없는 도시'],
    ...['Dorothy Ashworth', 'Hannelore Brückner', 'Clémence Baudin', '정유나 기자'],
    ...['Retired Postman', 'Hebamme seit 1982', 'Vigneron à Chinon', '전통 가구 장인'],
    ...['Five days before', 'Am nächsten Morgen', 'Huit ans auparavant', '사흘 전'],
    ...['The road through the pass', 'Kein Weg führt zurück', 'Le vent tourne au nord', '다리를 건너는 사람들'],
    ...['From the novel by Ada Finch', 'Nach einem Roman von Vogt', "D'après une pièce de Moreau", '원작 소설 이상화'],
    ...['Cut by Gregory Lund', 'Regie: Katharina Möbius', 'Lumière : Odile Renard', '조명 오세훈'],
    ...['Silence after the rain', 'Als der Regen aufhörte', "Quand la pluie s'arrête", '비가 그친 뒤'],
    ...['An empty schoolhouse', 'Die leere Schule', "L'école déserte", '텅 빈 교실'],
    ...['No trains on Sunday', 'Sonntags kein Zugverkehr', 'Pas de train dimanche', '일요일은 쉽니다'],
    ...['Storms over the islands', 'Gewitter über den Inseln', 'Orages sur les îles', '섬 지역에 소나기'],
    ...['Part Three: The Bridge', 'Dritter Teil: Die Brücke', 'Troisième volet : le pont', '세 번째 다리'],
    ...['No one asked the miller', 'Niemand fragte den Müller', 'Nul ne parla au meunier', '아무도 묻지 않았다'],
    ...['Shot on a single afternoon', 'An einem Nachmittag gefilmt', 'Tourné en une après-midi', '어느 오후의 풍경'],
    ...['Costumes by Irene Castle', 'Kostüme: Sabine Jäger', 'Costumes : Maëlle Girard', '의상 문채원'],
    ...['The weavers of Stone Row', 'Die Weber von Altenau', 'Les tisserandes du quai', '시장의 아침 식탁'],
    ...['A letter never sent', 'Ein Brief ohne Antwort', 'La réponse du facteur', '보내지 못한 편지'],
    ...['Breakfast at the station', 'Frühstück am Bahnhof', 'Petit déjeuner à la gare', '기차역에서'],
    ...['Eleven winters in Leeds', 'Elf Winter in Görlitz', 'Onze hivers à Besançon', '고향으로 가는 버스'],
    ...['With thanks to the village', 'Mit Dank an die Gemeinde', 'Avec le soutien de la ville', '도움을 주신 분들'],
    ...['Next week: the harvest', 'Nächste Woche: die Lese', 'La semaine prochaine', '다음 주에 만나요'],
  ],
  newest: [
    ...['The Glassblowers', 'Die Stunde der Möwen', 'Un dimanche au moulin', '눈 내리는 밤'],
    ...['Margaret Holloway', 'Friedrich Wenzel', 'Étienne Chabrol', '배우 오민석'],
    ...['Lighthouse Keeper', 'Schneiderin aus Bremen', 'Luthière à Mirecourt', '도예가'],
    ...['Seven weeks earlier', 'Drei Stunden davor', 'Le lendemain matin', '그날 저녁'],
    ...['A room above the bakery', 'Ein Zimmer unterm Dach', 'Une chambre sur cour', '빵집 위의 다락방'],
    ...['Adapted by Helen Marsh', 'Drehbuch: Oskar Lindner', 'Scénario : Noémie Pascal', '각본 정미경'],
    ...['Sound: Peter Kilburn', 'Ton: Wiebke Harms', 'Son : Gaspard Lemoine', '녹음 서지훈'],
    ...['When the tide goes out', 'Wenn die Flut kommt', 'Quand la mer se retire', '물이 빠진 갯벌'],
    ...["The clockmaker's daughter", 'Die Tochter des Uhrmachers', "La fille de l'horloger", '시계 수리공의 딸'],
    ...['Shop closes at six', 'Heute geschlossen', 'Ouvert tous les jours', '오늘 휴무'],
    ...['Fog along the coast', 'Nebel an der Küste', 'Brouillard sur la côte', '해안에 짙은 안개'],
    ...['Part Five: The Return', 'Fünfter Teil: Heimkehr', 'Cinquième volet : le retour', '다섯 번째 이야기'],
    ...['A bell without a tower', 'Keiner hörte die Glocke', "Personne n'a entendu", '종소리를 들은 사람'],
    ...['Recorded in one evening', 'Aufgenommen im Winter', 'Enregistré en public', '한여름에 찍은 사진'],
    ...['Lighting by Joan Fairley', 'Licht: Matthias Krüger', 'Décors : Céline Aubert', '미술 한소영'],
    ...["The bees of Cutler's Field", 'Die Bienen vom Südhang', 'Les abeilles du plateau', '언덕 위의 꿀벌'],
    ...['A suitcase full of maps', 'Ein Koffer voller Karten', 'Une valise de cartes', '지도가 가득한 가방'],
    ...['Supper in the kitchen', 'Abendbrot in der Küche', 'Souper dans la cuisine', '부엌에서 먹는 저녁'],
    ...['Forty years in Dundee', 'Vierzig Jahre in Husum', 'Quarante ans à Dieppe', '고향을 떠난 지 십 년'],
    ...['Our thanks to the nurses', 'Wir danken den Nachbarn', 'Remerciements aux voisins', '함께한 모든 이웃들'],
    ...['Coming up: the auction', 'Gleich: die Versteigerung', 'À venir : la vente', '곧 이어집니다'],
    ...['The ferry to Holm Island', 'Das Boot nach Hiddensee', 'Le bac pour Belle-Île', '섬으로 가는 첫 배'],
    ...['Good night from the studio', 'Gute Nacht aus dem Studio', 'Bonne nuit à tous', '안녕히 주무세요'],
  ],
};

/** The looks of a title, one of each in turn. All are white. */
const styles = ['', ':borderw=3:bordercolor=black', ':box=1:boxcolor=black@0.7:boxborderw=12', ':shadowx=3:shadowy=3'];

/** Sizes of fonts, in pixels of a picture of 720 rows. Five in turn meet four languages and four looks in every way. */
const sizes = [36, 26, 48, 30, 60];

const rows = ['y=h*0.24-text_h/2', 'y=h*0.78-text_h/2'];
const columns = ['x=(w-text_w)/2', 'x=w*0.07', 'x=w*0.93-text_w'];
const SECONDS = 3;
const frame = 'scale=1280:720:force_original_aspect_ratio=increase,crop=1280:720,setsar=1';

/** An endless series in turn, each beginning where the others do. */
const nth = <T>(of: readonly T[], at: number): T => {
  const one = of[at % of.length];
  if (one === undefined) throw new Error('nothing to choose from');
  return one;
};

/** The filter that draws the title at a place in its series: language, look, size, font and side follow from that place. */
async function drawn(work: string, half: TitleSet, at: number): Promise<{ text: string; filter: string }> {
  const text = nth(titles[half], at);
  const isKorean = /\p{Script=Hangul}/u.test(text);
  const [name, file] = nth((isKorean ? koreanFonts : latinFonts)[half], Math.floor(at / 4));
  const font = path.join(await unpacked(work, name), 'fonts/truetype', file);
  const written = path.join(work, `title-${half}-${at}.txt`);
  await writeFile(written, text);
  const look = nth(styles, at + Math.floor(at / 4));
  const place = `${nth(columns, at)}:${nth(rows, at)}`;
  const size = nth(sizes, at);
  return {
    text,
    filter: `drawtext=fontfile=${font}:textfile=${written}:fontsize=${size}:fontcolor=white${look}:${place}`,
  };
}

/** The languages of both titles of a film. One engine reads all films of a pack, best in the language that it is given first. */
const languagePairs = ['english-german', 'french-korean'] as const;

/**
 * Films of a photograph that does not move: each once with two titles of 26 to 60 pixels in front of it, and once without any. The
 * study reads one picture of each. The photographs alternate between the pairs of languages.
 */
export const photographItems =
  (half: TitleSet, pair: (typeof languagePairs)[number]) =>
  async (folder: string): Promise<PackItem[]> => {
    const part = `photographs-${pair}-${half}`;
    const work = path.join(folder, 'work');
    const items: PackItem[] = [];
    let count = 0;
    for (const { package: name, folder: below, only } of photographs[half]) {
      const from = path.join(await unpacked(work, name), below);
      const files = (await readdir(from, { recursive: true })).filter((file) => only.test(file)).sort();
      for (const [nthFile, file] of files.entries()) {
        const at = 2 * count;
        count += 1;
        if (nth(languagePairs, at / 2) !== pair) continue;
        const shown = [await drawn(work, half, at), await drawn(work, half, at + 1)];
        for (const texts of [shown, []]) {
          const film = path.join(folder, part, `${name}-${nthFile}${texts.length === 0 ? '-no-text' : ''}.mkv`);
          const graph = [frame, ...texts.map(({ filter }) => filter), 'format=yuv420p'].join(',');
          const still = ['-loop', '1', '-framerate', '10', '-i', path.join(from, file), '-t', String(SECONDS)];
          ffmpeg(...still, '-vf', graph, '-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', film);
          const durationMs = 1000 * SECONDS;
          const screenTexts: LabeledScreenTexts = texts.map(({ text }) => ({ startMs: 0, endMs: durationMs, text }));
          items.push(await itemOf(folder, film, durationMs, { screenTexts }));
        }
      }
    }
    return items;
  };
