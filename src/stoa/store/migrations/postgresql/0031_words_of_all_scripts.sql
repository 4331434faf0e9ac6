-- Other forms of letters count as these letters, as on SQLite: 5 µm is found as 5 μm, with a Greek letter.
UPDATE post_index SET title = translate(title, 'ẛµϐϑϕϖϰϱϵ', 'sμβθφπκρε'), words = translate(words, 'ẛµϐϑϕϖϰϱϵ', 'sμβθφπκρε')
WHERE words ~ '[ẛµϐϑϕϖϰϱϵ]';
