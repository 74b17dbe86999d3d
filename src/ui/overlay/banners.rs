//! The banners below the top bar. They take up space of their own, so that they cover nothing and are visible in every layout.

use super::notice_bar::NoticeBar;
use super::stop_banner::StopBanner;
use loopscope::page::{Notice, StopView};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct BannersProps {
    pub stop: Option<Rc<StopView>>,
    pub notice: Option<Notice>,
}

/// The banners. The element stays in the document even if it is empty, so that screen readers announce a new banner.
#[component]
pub fn Banners(BannersProps { stop, notice }: &BannersProps) -> Html {
    html! {
        <div class="banners" role="status">
            if let Some(stop) = stop { <StopBanner stop={stop.clone()} /> }
            if let Some(notice) = notice { <NoticeBar notice={notice.clone()} /> }
        </div>
    }
}
