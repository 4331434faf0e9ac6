-- Texts of all scripts are taken apart by one rule: inside Chinese, Japanese, Thai, Khmer, Lao, Burmese and Korean runs too,
-- with words for C++ and node.js, and without vowel points.
-- Then all texts are indexed.
TRUNCATE post_index;
