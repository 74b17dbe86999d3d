//! The sentences that the page says: that they are true, about the selected moment, about the right pass, and read as English.

mod followed_pass;
mod never_untrue;
mod past_and_present;
mod plain_english;
mod selected_moment;
