import { captionsContract } from './captions-contract.ts';

captionsContract('node');
