import test from 'ava';
import { labelsOfJson, labelsOfShots } from '../../bench/labeled-films.ts';

test('labels of this project give the first pictures of shots, and transitions by their first and last picture', (t) => {
  const films = [{ file: 'a.mp4', licence: 'CC0', cuts: [76, 121], gradual: [[4, 62]] }];
  t.deepEqual(labelsOfJson(JSON.stringify({ meaning: 'pictures', films })), [
    { file: 'a.mp4', cuts: [76, 121], gradual: [[4, 62]], optional: [] },
  ]);
});

test('labels of ClipShots are the last picture of a shot and the first of the next', (t) => {
  const clip = {
    frame_num: 500,
    transitions: [
      [99, 100],
      [200, 220],
    ],
  };
  t.deepEqual(labelsOfJson(JSON.stringify({ 'b.mp4': clip })), [
    { file: 'b.mp4', cuts: [100], gradual: [[201, 219]], optional: [] },
  ]);
});

test('labels of BBC Planet Earth and RAI are the shots, one a line; a gap between two is a transition', (t) => {
  const expected = { cuts: [43], gradual: [[101, 119]], optional: [] };
  t.deepEqual(labelsOfShots('0\t42\n43\t100\n120\t200\n'), expected);
  t.deepEqual(labelsOfShots('0 42\r\n43 100\r\n120 200\r\n'), expected);
});

test('a file that holds no labels is none', (t) => {
  t.is(labelsOfJson('{"films": 3}'), null);
  t.is(labelsOfJson('no JSON'), null);
  t.is(labelsOfShots('a text about shots'), null);
  t.is(labelsOfShots(''), null);
});
