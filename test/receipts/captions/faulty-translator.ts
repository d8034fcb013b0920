import type { TranslatedAnswer, TranslationAsk } from '../../../contract/captions/caption-translation.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import type { SourceLine } from '../../../rules/translation/gates.ts';
import {
  askedAgain,
  plannedAsks,
  type TranslationWork,
  type Verdict,
  verdictsOf,
} from '../../../rules/translation/plan.ts';

/** A dialogue in English with what each line is in German, French and Russian. */
export const dialogue: readonly (readonly [en: string, de: string, fr: string, ru: string])[] = [
  [
    'Good morning, is anybody at home?',
    'Guten Morgen, ist jemand zu Hause?',
    "Bonjour, y a-t-il quelqu'un à la maison ?",
    'Доброе утро, есть кто-нибудь дома?',
  ],
  ['Come in.', 'Komm rein.', 'Entrez donc.', 'Входите.'],
  [
    'I am looking for Anna, she wanted to lend me her old bicycle for the weekend.',
    'Ich suche Anna, sie wollte mir ihr altes Fahrrad für das Wochenende leihen.',
    'Je cherche Anna, elle voulait me prêter son vieux vélo pour le week-end.',
    'Я ищу Анну, она хотела одолжить мне свой старый велосипед на выходные.',
  ],
  [
    'She is in the garden behind the house.',
    'Sie ist im Garten hinter dem Haus.',
    'Elle est dans le jardin derrière la maison.',
    'Она в саду за домом.',
  ],
  [
    'How long have you lived here?',
    'Wie lange wohnst du schon hier?',
    'Depuis combien de temps habitez-vous ici ?',
    'Как давно вы здесь живёте?',
  ],
  [
    'We moved in 12 years ago, when the bridge was still closed.',
    'Wir sind vor 12 Jahren eingezogen, als die Brücke noch gesperrt war.',
    'Nous avons emménagé il y a 12 ans, quand le pont était encore fermé.',
    'Мы переехали 12 лет назад, когда мост был ещё закрыт.',
  ],
  ['Really?', 'Wirklich?', 'Vraiment ?', 'Правда?'],
  [
    'Yes, and the rent was only 450 in those days, can you imagine that?',
    'Ja, und die Miete war damals nur 450, kannst du dir das vorstellen?',
    "Oui, et le loyer n'était que de 450 à l'époque, vous imaginez ?",
    'Да, и аренда тогда стоила всего 450, представляете?',
  ],
  [
    'No wonder that nobody ever leaves this street.',
    'Kein Wunder, dass niemand diese Straße je verlässt.',
    'Pas étonnant que personne ne quitte jamais cette rue.',
    'Неудивительно, что никто не уезжает с этой улицы.',
  ],
  [
    'The neighbours are loud, but Peter says that one gets used to the music.',
    'Die Nachbarn sind laut, aber Peter sagt, dass man sich an die Musik gewöhnt.',
    "Les voisins sont bruyants, mais Peter dit qu'on s'habitue à la musique.",
    'Соседи шумные, но Питер говорит, что к музыке привыкаешь.',
  ],
  ['Who is that?', 'Wer ist das?', 'Qui est-ce ?', 'Кто это?'],
  [
    'My brother, he repairs clocks and watches in the workshop downstairs.',
    'Mein Bruder, er repariert unten in der Werkstatt Uhren und Wecker.',
    "Mon frère, il répare des horloges et des montres dans l'atelier en bas.",
    'Мой брат, он чинит часы в мастерской внизу.',
  ],
  [
    'Could he have a look at mine?',
    'Könnte er sich meine ansehen?',
    'Pourrait-il regarder la mienne ?',
    'Мог бы он взглянуть на мои?',
  ],
  [
    'Of course, but he is very slow, so you should not be in a hurry.',
    'Natürlich, aber er ist sehr langsam, also solltest du es nicht eilig haben.',
    'Bien sûr, mais il est très lent, il ne faut donc pas être pressé.',
    'Конечно, но он очень медлительный, так что не торопитесь.',
  ],
  [
    'It stopped at 7 this morning.',
    'Sie ist heute Morgen um 7 stehen geblieben.',
    "Elle s'est arrêtée à 7 heures ce matin.",
    'Они остановились сегодня утром в 7.',
  ],
  [
    'Then we will need a new battery, nothing more.',
    'Dann brauchen wir eine neue Batterie, mehr nicht.',
    'Alors il nous faudra une nouvelle pile, rien de plus.',
    'Тогда понадобится новая батарейка, и всё.',
  ],
  ['Thank you so much.', 'Vielen herzlichen Dank.', 'Merci beaucoup à vous.', 'Большое вам спасибо.'],
  [
    'You are welcome, and give my best to Maria when you see her.',
    'Gern geschehen, und grüß Maria von mir, wenn du sie siehst.',
    'Je vous en prie, et saluez Maria de ma part quand vous la verrez.',
    'Пожалуйста, и передайте привет Марии, когда увидите её.',
  ],
  [
    'I will tell Maria that you asked.',
    'Ich werde Maria sagen, dass du gefragt hast.',
    'Je dirai à Maria que vous avez demandé.',
    'Я скажу Марии, что вы спрашивали.',
  ],
  [
    'See you on Sunday at the market, then.',
    'Dann bis Sonntag auf dem Markt.',
    'À dimanche au marché, alors.',
    'Тогда увидимся в воскресенье на рынке.',
  ],
];

export const lines: readonly SourceLine[] = dialogue.map(([text], at) => ({ id: `line-${at + 1}`, text }));
export const german: ReadonlyMap<string, string> = new Map(dialogue.map(([, de], at) => [`line-${at + 1}`, de]));

type Answer = Omit<TranslatedAnswer, 'identified'>;

/** The answer of a model to lines that it could translate; `isAlone` if it gets one line again. */
export type Translator = (right: readonly Answer[], isAlone: boolean) => readonly Answer[];

// A stub of the identifier, which knows texts of some length.
function identified(text: string): string | null {
  if (text.length < 12) return null;
  return dialogue.some(([, , fr]) => text.includes(fr))
    ? 'fr'
    : dialogue.some(([, , , ru]) => text.includes(ru))
      ? 'ru'
      : 'de';
}

const most = (codes: readonly (string | null)[]): string | null => {
  const known = codes.filter((code) => code !== null);
  return (
    known.sort(
      (one, other) => known.filter((code) => code === other).length - known.filter((code) => code === one).length,
    )[0] ?? null
  );
};

/** Sends the whole dialogue to a translator as a production does; returns the verdicts and the number of requests. */
export function translate(
  translator: Translator,
  gates: TranslationWork['gates'] = 6,
): {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly asks: readonly TranslationAsk[];
} {
  const asks: TranslationAsk[] = [];
  const work = (identifiedAlone: string | null = null): TranslationWork => ({
    lines,
    sourceLanguage: 'en',
    targetLanguage: 'de',
    asks,
    identifiedAlone,
    gates,
  });
  const planned = () => resultOfSteps(plannedAsks(work()));
  for (let next = planned()[0]; next !== undefined; next = planned()[asks.length]) {
    const right = next.members.map(({ id, text }) => ({ lineId: id, source: text, translation: german.get(id) ?? '' }));
    const answers = translator(right, next.members.length === 1).map((each) => ({
      ...each,
      identified: identified(each.translation),
    }));
    const digests = { promptContentId: '', schemaContentId: '' };
    asks.push({
      lineIds: next.members.map(({ id }) => id),
      ...digests,
      failure: null,
      answers,
      identified: most(answers.map((each) => each.identified)),
      model: null,
      inputTokens: null,
      outputTokens: null,
    });
  }
  const alone = resultOfSteps(askedAgain(work())).flatMap(({ answers }) => answers.map((each) => each.identified));
  return { verdicts: resultOfSteps(verdictsOf(work(most(alone)))), asks };
}
