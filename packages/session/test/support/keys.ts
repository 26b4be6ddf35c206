export const OLD_KEY = 'an old key of at least thirty-two bytes';
export const NEW_KEY = 'a new key of at least thirty-two bytes!';
